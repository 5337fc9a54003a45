"""Entry point of WSGI servers: granian, gunicorn or any other."""

from geoshops import create_app

app = create_app()
