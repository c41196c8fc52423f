"""The log and the leases in PostgreSQL, by psycopg 3 (the extra `postgres`)."""
