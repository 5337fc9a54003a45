"""Alternative stacks, each in its own environment, on the same table and cores."""
