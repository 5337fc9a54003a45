"""`python -m geoshops`: the command line without its installed name."""

from geoshops.cli import main

main(prog_name="geoshops")
