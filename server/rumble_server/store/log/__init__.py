"""Writing and reading the log of a club; the same code for SQLite and PostgreSQL."""
