"""The commands of people on a club: of hosts, the administrator, pupils, and the owners of bots."""
