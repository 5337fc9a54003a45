"""Files in: shops, regions and stations, by staging, one pass over the shops and a list of what was not taken."""
