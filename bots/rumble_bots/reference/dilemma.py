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
    """The base class of strategies. A strategy answers the choices that both seats have made so far."""

    games = ("dilemma",)
    remembers = True

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.own = ""
        """The bot's own choices, a letter for each round, as changed by the game's noise.

        If the bot has missed a round, all rounds before the last finished round count as cooperation of both seats.
        """
        self.other = ""
        """The other seat's choices, a letter for each round, as changed by the game's noise."""

    @classmethod
    def obstacle(cls, state: State) -> str:
        return "" if isinstance(state, DilemmaState) else "the strategies of Axelrod play only dilemma"

    def pick(self, state: State, seat: int, budget_ms: int | None) -> Choice:
        """Add the choices of the last finished round to `own` and `other`, and return the choice of `answer`."""
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
    """A strategy: cooperate in the first round, then repeat the other seat's last choice."""

    about = "Begins with cooperation, then repeats your last choice."

    def answer(self) -> str:
        return self.other[-1:] or "C"


class TitForTwoTats(DilemmaBot):
    """A strategy: defect only after two defections of the other seat in a row."""

    about = "Defects after two defections in a row."

    def answer(self) -> str:
        return "D" if self.other[-2:] == "DD" else "C"


class Friedman(DilemmaBot):
    """A strategy, also known as grudger or grim trigger: after the other seat's first defection, defect for ever."""

    about = "Cooperates until your first defection, then never again."

    def answer(self) -> str:
        return "D" if "D" in self.other else "C"


class Grofman(DilemmaBot):
    """A strategy: cooperate after a round in which both seats chose the same, otherwise with probability 2/7."""

    about = "Cooperates if both chose alike, else sometimes."

    def answer(self) -> str:
        return "C" if self.own[-1:] == self.other[-1:] or self.random.random() < 2 / 7 else "D"


class Joss(DilemmaBot):
    """A strategy: defect after a defection of the other seat; otherwise cooperate with probability 9/10."""

    about = "Repeats your last choice, but now and then defects first."

    def answer(self) -> str:
        return "D" if self.other[-1:] == "D" or self.random.random() < 0.1 else "C"
