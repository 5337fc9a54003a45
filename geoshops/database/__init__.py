"""PostgreSQL: connections, models, migrations."""
