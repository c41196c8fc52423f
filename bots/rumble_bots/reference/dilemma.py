"""Strategies for the repeated prisoner's dilemma, from the tournaments of Robert Axelrod.

Robert Axelrod: Effective choice in the prisoner's dilemma. Journal of Conflict Resolution 24 (1980), 3-25; More
effective choice in the prisoner's dilemma, pages 379-403 of the same volume; The evolution of cooperation (1984).

Friedman, Grofman and Joss are named after the persons who sent these strategies to Axelrod's first tournament. Anatol
Rapoport sent tit-for-tat.
"""

from abc import abstractmethod
from random import Random

from rumble_engine import State
from rumble_engine.games.dilemma import DilemmaState

from rumble_bots.reference.reference_bot import Choice, ReferenceBot


class DilemmaBot(ReferenceBot):
    """The base class of strategies, which answer the choices made so far."""

    games = ("dilemma",)
    remembers = True

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.own = ""
        """The bot's own choices after the noise, a letter for each round."""
        self.other = ""
        """The other seat's choices. A round that the bot did not see counts as cooperation."""

    @classmethod
    def obstacle(cls, state: State) -> str:
        return "" if isinstance(state, DilemmaState) else "the strategies of Axelrod play only dilemma"

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Answer the rounds so far. The last round comes from `state`; earlier rounds are remembered."""
        assert isinstance(state, DilemmaState)
        if state.round not in (len(self.own), len(self.own) + 1):
            self.own = self.other = "C" * (state.round - 1)
        if state.round > len(self.own):
            self.own += state.last[seat]
            self.other += state.last[1 - seat]
        return Choice(self.answer())

    @abstractmethod
    def answer(self) -> str:
        """Return the strategy's choice: C or D."""


class TitForTat(DilemmaBot):
    """A strategy: repeat the other seat's last choice."""

    about = "Begins with cooperation, then repeats your last choice."

    def answer(self) -> str:
        return self.other[-1:] or "C"


class TitForTwoTats(DilemmaBot):
    """A strategy: forgive a single defection."""

    about = "Defects after two defections in a row."

    def answer(self) -> str:
        return "D" if self.other[-2:] == "DD" else "C"


class Friedman(DilemmaBot):
    """A strategy: never forgive. Also known as grudger or grim trigger."""

    about = "Cooperates until your first defection, then never again."

    def answer(self) -> str:
        return "D" if "D" in self.other else "C"


class Grofman(DilemmaBot):
    """A strategy: cooperate after equal choices, and in two of seven cases after different choices."""

    about = "Cooperates if both chose alike, else sometimes."

    def answer(self) -> str:
        return "C" if self.own[-1:] == self.other[-1:] or self.random.random() < 2 / 7 else "D"


class Joss(DilemmaBot):
    """A strategy: always repeat a defection, and repeat cooperation in nine of ten cases."""

    about = "Repeats your last choice, but now and then defects first."

    def answer(self) -> str:
        return "D" if self.other[-1:] == "D" or self.random.random() < 0.1 else "C"
