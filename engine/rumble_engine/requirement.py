"""The requirement that a game keeps, for all checks of the conformance kit."""

from rumble_engine.errors import ConformanceError


def require(condition: object, problem: str) -> None:
    """Raise ConformanceError with the text `problem`, unless the condition is true."""
    if not condition:
        raise ConformanceError(problem)
