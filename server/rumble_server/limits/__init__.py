"""Limits by address and by name, as pure counting machines. Callers pass the time, in ms."""
