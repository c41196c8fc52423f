"""The Python SDK: the author's side (`bot`), and the way to a server (`serve`, `client`, `conversation`)."""
