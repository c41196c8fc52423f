"""The machine and the process: TLS, host names, networks, other processes, and the garbage collector."""
