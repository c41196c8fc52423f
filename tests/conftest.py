"""What holds for every test."""

from hypothesis import settings

# How long one example takes says something about the machine, not about the code: on a busy one a test must not fail.
settings.register_profile("rumble", deadline=None)
settings.load_profile("rumble")
