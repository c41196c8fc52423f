"""The exceptions that interrupt a check.

BadCommand     the command cannot be run at all (an SdkError, for the user)
Trouble        the bot broke a rule, and the step at hand cannot go on
Warned         a step is over, and its finding is worth a warning
Skipped        a step does not apply to this bot
"""

from rumble_bots.sdk.errors import SdkError


class BadCommand(SdkError):
    """The command of the bot cannot be run, or there is no place to listen."""


class Trouble(Exception):
    """The bot broke the rule `rule`; the step at hand cannot go on."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule
        self.why = why


class Warned(Exception):
    """A step is over with a finding that is worth a warning; the text is the finding."""


class Skipped(Exception):
    """A step does not apply to this bot; the text tells the reason."""
