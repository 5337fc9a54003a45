"""One Docker daemon and one build of all images for all container tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.containers import engine


@pytest.fixture(scope="session")
def images() -> Iterator[None]:
    """A daemon with all images of the current checkout."""
    engine.require_compose()
    with engine.daemon():
        engine.require_base_images()
        everything = engine.Project(f"geoshops-test-build-{os.getpid()}")
        everything.compose(
            *everything.all_profiles(), "build", "--quiet", timeout_s=engine.BUILD_WITHIN_S
        )
        yield
