"""The database in an SQLite file."""
