"""The Rumble server: gateway, referee, tournaments, event log, web."""
