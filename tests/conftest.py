"""What holds for every test."""

import signal

from hypothesis import settings

# How long one example takes says something about the machine, not about the code: on a busy one a test must not fail.
settings.register_profile("rumble", deadline=None)
settings.load_profile("rumble")

# A shell starts what it puts in the background with Ctrl-C ignored, and programs inherit that: those that tests start
# must not, since some of them are ended by it.
signal.signal(signal.SIGINT, signal.default_int_handler)
