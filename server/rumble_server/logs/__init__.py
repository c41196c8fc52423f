"""The logs of a server: a line for each event, without secrets, and an audit log of logins, refusals and commands."""
