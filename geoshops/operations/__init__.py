"""Operator tooling, which worker processes never import."""
