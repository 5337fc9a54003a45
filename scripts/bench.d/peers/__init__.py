"""What people would pick instead: each in its own environment, on the same table and the same cores."""
