"""The web of a server: the HTTP API, the live feed, and the pages."""
