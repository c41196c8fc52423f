"""Guards of requests: hosts, tokens and keys, wrong secrets, bodies, and limits for each address."""
