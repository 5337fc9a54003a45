"""Adds the SQL folder to the packages, which `packages = find:` in setup.cfg cannot express."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["geoshops", "geoshops.*"]), "geoshops.sql"])
