"""Sample data: real places with generated shops, members and reviews, reproducible from a seed."""
