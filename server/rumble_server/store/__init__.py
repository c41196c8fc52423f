"""The event log on disk: SQLite and PostgreSQL behind the same ports, and the care of a database."""
