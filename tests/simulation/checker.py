"""Checks the server's promises after a simulation, from the log and the trace.

The checks share no code with the server (see `checks`).
"""

from tests.simulation.checks.answers import check_answers
from tests.simulation.checks.blame import check_blame
from tests.simulation.checks.case import Case, read_rows
from tests.simulation.checks.clocks import check_clocks
from tests.simulation.checks.logins import check_logins
from tests.simulation.checks.results import check_results
from tests.simulation.checks.secrets import check_secrets
from tests.simulation.checks.told import check_told
from tests.simulation.checks.workers import check_workers
from tests.simulation.world import Evidence

CHECKS = (
    check_results,
    check_told,
    check_logins,
    check_answers,
    check_clocks,
    check_blame,
    check_workers,
    check_secrets,
)


def problems(evidence: Evidence) -> list[str]:
    """Return all problems of a simulation; empty if no promise was broken."""
    bots = {
        plan.name.casefold(): {"max_matches": plan.max_matches, "fault": plan.fault, "workers": plan.workers}
        for plan in evidence.scenario.bots
    }
    case = Case(read_rows(evidence.rows), list(evidence.trace), bots)
    found = [] if evidence.ended else ["it did not end"]
    for check in CHECKS:
        found += check(case)
    return found
