"""Limits by address and by name, as pure counters. Callers pass the time in ms."""
