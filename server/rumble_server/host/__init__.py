"""The machine and the process: TLS, host names, networks, the garbage collector, other processes and their queue,
tasks that repeat, and a cache and a histogram in memory."""
