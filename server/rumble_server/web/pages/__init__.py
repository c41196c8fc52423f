"""The pages, rendered whole by the server."""
