"""The log and the leases in PostgreSQL. These modules need psycopg 3, which the extra `postgres` installs."""
