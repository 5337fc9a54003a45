"""Operator tooling; never imported by a worker process."""
