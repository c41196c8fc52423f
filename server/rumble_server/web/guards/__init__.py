"""Guards of requests: headers, tokens and keys, wrong secrets, bodies, and limits for each address."""
