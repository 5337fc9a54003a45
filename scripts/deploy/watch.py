"""Releases the leader key of a node whose container has died, instead of waiting until its lease expires.

    watch.py FOLDER NODE...

A node locks FOLDER/NODE before it starts Patroni, and the kernel releases the lock when the container's processes
have ended. Acquiring the lock proves that the node is dead and keeps it from starting meanwhile. Runs on the node's
machine; if the whole machine is lost, its lease expires.
"""

from __future__ import annotations

import base64
import fcntl
import json
import sys
import time
import urllib.request
from pathlib import Path
from threading import Thread

ETCD_URL = "http://etcd:2379/v3/kv/txn"
LEADER_KEY = "/service/geoshops/leader"
ETCD_TIMEOUT_S = 2
PAUSE_S = 1
# the kernel kills a container's other processes shortly after the first one has ended
KERNEL_CLEANUP_S = 0.1


def encode(text: str) -> str:
    """Encodes text for etcd's JSON interface."""
    return base64.b64encode(text.encode()).decode()


def release_lead(node: str) -> bool:
    """Deletes the leader key if it names the node, as Patroni does on a clean stop; returns whether it did."""
    key = encode(LEADER_KEY)
    transaction = {
        "compare": [{"key": key, "target": "VALUE", "value": encode(node)}],
        "success": [{"request_delete_range": {"key": key}}],
    }
    body = json.dumps(transaction).encode()
    with urllib.request.urlopen(ETCD_URL, body, ETCD_TIMEOUT_S) as response:
        return bool(json.load(response).get("succeeded"))


def watch(lock: Path, node: str) -> None:
    """Releases the leader key whenever the node dies, from its first start on."""
    while not lock.exists():
        time.sleep(PAUSE_S)
    with lock.open(encoding="utf-8") as file:
        while True:
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(KERNEL_CLEANUP_S)
            try:
                if release_lead(node):
                    print(f"{node} died as the leader; its lead is released", flush=True)
            except OSError as error:
                print(f"{node} is dead, but etcd does not respond: {error}", flush=True)
            fcntl.flock(file, fcntl.LOCK_UN)
            time.sleep(PAUSE_S)


def main(folder: str, *nodes: str) -> None:
    """Watches each node in its own thread."""
    for node in nodes:
        Thread(target=watch, args=(Path(folder, node), node)).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
