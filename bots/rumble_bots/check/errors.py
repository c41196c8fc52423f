"""The exceptions that interrupt a check.

BadCommand     the command cannot be run at all (an SdkError, for the user)
Trouble        the bot broke a rule, and the step at hand cannot go on
Warned         a step is over, and its finding is worth a warning
Skipped        a step does not apply to this bot
"""

from rumble_bots.sdk.errors import SdkError


class BadCommand(SdkError):
    """The error for a bot's command that cannot be run, or an address that cannot be used."""


class Trouble(Exception):
    """The bot broke the rule `rule`, and the present step cannot continue."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule
        self.why = why


class Warned(Exception):
    """A step ended with a finding that deserves a warning. The text is the finding."""


class Skipped(Exception):
    """A step does not apply to this bot. The text is the reason."""
