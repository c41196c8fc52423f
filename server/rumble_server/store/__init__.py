"""The event log on disk, in SQLite or PostgreSQL behind the same interfaces; checks, backups, repair of databases."""
