"""HTTP infrastructure that every feature shares."""
