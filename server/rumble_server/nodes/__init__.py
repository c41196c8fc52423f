"""The node: a server that shares a PostgreSQL database with other servers, and leads clubs by a lease.

A node also tells proxies which node leads a club. Only `app.py` imports this package, and only for a database in
PostgreSQL.
"""
