"""Made-up names of bots, for commands on pages, so that two people who copy a command do not share a name."""

from random import SystemRandom

_FIRST = """
amber azure bold brave bright brisk calm clever coral crisp daring dapper eager fair fancy fleet gentle giddy
golden grand happy hasty honest humble jade jolly keen kind lively lucky mellow merry mighty modest nimble noble patient
placid plucky polite proud quick quiet rapid ready royal ruby rustic sharp shiny silent silver sly smart snappy solid
spry steady sunny swift tidy vivid wise witty"""
_SECOND = """
badger bear beaver bison bobcat camel cheetah cobra condor crane crow deer dingo dolphin eagle falcon ferret
finch fox gecko gibbon goose hare hawk heron hornet ibis jackal jaguar koala lemur leopard lion lizard llama lynx magpie
marten moose newt ocelot orca osprey otter owl panda panther parrot penguin puffin python quail rabbit raccoon raven
robin salmon seal shark stoat tiger toucan walrus wolf"""
FIRST, SECOND = tuple(_FIRST.split()), tuple(_SECOND.split())
_random = SystemRandom()


def random_name() -> str:
    """Make a random name such as `amber-otter-42`; there are about 370,000 such names."""
    return f"{_random.choice(FIRST)}-{_random.choice(SECOND)}-{_random.randrange(10, 100)}"
