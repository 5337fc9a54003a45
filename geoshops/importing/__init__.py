"""Files in: shops, regions and stations, by staging, one upsert and a list of what was not taken."""
