"""Runs stateful Schemathesis tests over HTTP against the service as shipped."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from ledger import sign_in
from service import Service, temporary_service

MEMBERS = 2
# these would end the session of the test's token
NOT_THESE = ("DELETE /member", "GET /auth/logout", "DELETE /auth/sessions/{session_id}")
# the other checks run in process (tests/web)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"  # fmt: skip


def main(args: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Returns the summary and whether there was no server error."""
    with temporary_service(MEMBERS) as (service, cluster):
        token = sign_in(cluster, service.secret_key, MEMBERS)[0]
        text = _run(service, token, int(args.minutes * 60), args.seed)
        log = service.log_path.read_text(errors="replace")
        unexpected, requests = log.count("unexpected error"), log.count('"message":"request"')
    server_errors = text.count("Server error")
    figures = {
        "minutes": args.minutes,
        "requests": requests,
        "server_errors": server_errors,
        "unexpected_errors_logged": unexpected,
        "summary": text[text.rfind("SUMMARY") :][:1500],
    }
    return figures, not server_errors and not unexpected and requests > 0


def _run(service: Service, token: str, seconds: int, seed: int) -> str:
    leave_out = [word for name in NOT_THESE for word in ("--exclude-name", name)]
    run = subprocess.run(
        [
            str(Path(sys.executable).parent / "schemathesis"), "--no-color", "fuzz", f"{service.origin}/openapi.json",
            "--max-time", str(seconds), "--seed", str(seed), "--checks", CHECKS, "--continue-on-failure",
            "-H", f"Authorization: Bearer {token}", "--request-timeout", "10", *leave_out,
        ],
        capture_output=True, text=True, check=False, cwd=service.folder,
    )  # fmt: skip
    print(run.stdout[-6000:], run.stderr[-2000:], file=sys.stderr)
    return run.stdout
