"""The logs of a server, without secrets: the log of events, and the audit log of logins, refusals and commands."""
