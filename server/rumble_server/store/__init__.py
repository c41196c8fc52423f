"""The event log on disk, and checks, backups and repair of databases.

The database is in SQLite or PostgreSQL, behind the same interfaces.
"""
