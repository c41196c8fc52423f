"""The state of a club outside tournaments, rebuilt from the log: names, host tokens, the directory of clubs, quotas."""
