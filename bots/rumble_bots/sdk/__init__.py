"""The Python SDK: `bot` for the author of a bot; `serve`, `client` and `conversation` for playing on a server."""
