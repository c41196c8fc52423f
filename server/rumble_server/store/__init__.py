"""The event log on disk, in SQLite or PostgreSQL behind the same ports; checks, backups and repair of a database."""
