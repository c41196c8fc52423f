"""The web pages, rendered by the server."""
