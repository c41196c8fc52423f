"""The Python SDK: what an author writes (`bot`), and what takes it to a server (`serve`, `client`, `conversation`)."""
