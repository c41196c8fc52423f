"""The store in an SQLite file: the log, its indexes, the lock, and the writing program."""
