"""Gives up the lead of a database node whose container has died; its lease alone would hold it for up to 20 seconds.

    watch.py FOLDER NODE...

A node locks FOLDER/NODE before it starts Patroni. The kernel releases the lock when the container's processes end,
however they end, and never while they run: whoever gets the lock knows that the node is dead, and keeps it from
starting again meanwhile. Runs on the node's machine; a machine that is lost is replaced when its lease ends.
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
# the kernel ends a container's other processes just after the first one
KERNEL_CLEANUP_S = 0.1


def encode(text: str) -> str:
    """Text as etcd's JSON interface takes it."""
    return base64.b64encode(text.encode()).decode()


def release_lead(node: str) -> bool:
    """Deletes the leader's key if it names the node, as Patroni does on a clean stop; whether it did."""
    key = encode(LEADER_KEY)
    transaction = {
        "compare": [{"key": key, "target": "VALUE", "value": encode(node)}],
        "success": [{"request_delete_range": {"key": key}}],
    }
    body = json.dumps(transaction).encode()
    with urllib.request.urlopen(ETCD_URL, body, ETCD_TIMEOUT_S) as response:
        return bool(json.load(response).get("succeeded"))


def watch(lock: Path, node: str) -> None:
    """Waits for each death of the node, from its first start on."""
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
                print(f"{node} is dead, and etcd does not answer: {error}", flush=True)
            fcntl.flock(file, fcntl.LOCK_UN)
            time.sleep(PAUSE_S)


def main(folder: str, *nodes: str) -> None:
    """Watches each node in a thread of its own."""
    for node in nodes:
        Thread(target=watch, args=(Path(folder, node), node)).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
