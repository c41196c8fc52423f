"""The logs of a server: its log of events, and the audit log of logins, refusals and host commands. Without secrets."""
