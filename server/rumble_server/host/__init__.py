"""The machine and the process: TLS, host names, networks, processes, and the garbage collector."""
