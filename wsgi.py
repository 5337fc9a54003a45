"""Entry point of WSGI servers: granian, gunicorn or any other."""

import sys

from geoshops import create_app
from geoshops.config import ConfigError

try:
    app = create_app()
except ConfigError as error:
    print(f"geoshops: {error}", file=sys.stderr)
    # gunicorn stops when a worker exits with 3; any other code makes it start the worker again
    sys.exit(3)
