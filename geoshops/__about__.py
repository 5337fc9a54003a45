"""The version: semantic versioning of the HTTP contract."""

VERSION = "0.1.0"
