"""The node: a server that shares a PostgreSQL database with other servers, leads clubs by a lease, and guides proxies.

Only `app.py` imports this package, and only for a database in PostgreSQL.
"""
