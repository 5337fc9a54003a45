"""Imports shops, brands, regions, stations and population from files: staging, one pass over the rows, a list of rejects."""
