"""Settings for all tests."""

import signal

from hypothesis import settings

# No deadline, because a test must not fail on a busy machine.
settings.register_profile("rumble", deadline=None)
settings.load_profile("rumble")

# A shell makes background jobs ignore Ctrl-C, and child processes inherit that. Tests end some of their processes by
# Ctrl-C, so they must not inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)
