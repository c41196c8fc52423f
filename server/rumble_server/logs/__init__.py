"""The logs of a server, without secrets: its log of events, and the audit log of logins, refusals and commands."""
