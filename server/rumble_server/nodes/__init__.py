"""One of several servers on a database in PostgreSQL: its lease, what it leads, and what it tells a proxy."""
