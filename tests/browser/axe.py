"""axe-core: its check, and what it complains of."""

from typing import Any, Literal

COLORS = ("color-contrast", "link-in-text-block")
"""The rules that depend on the color scheme; the others are checked in the light scheme only."""
WIDTHS = (360, 1280)
SCHEMES: dict[Literal["light", "dark"], tuple[str, ...]] = {"light": (), "dark": COLORS}
"""Each color scheme with the rules checked in it; an empty tuple stands for all."""
CHECK = """async (rules) => {
  const only = rules.length ? { runOnly: rules } : {};
  return (await axe.run({ resultTypes: ["violations"], ...only })).violations;
}"""


def complaints(found: list[dict[str, Any]]) -> list[str]:
    """Describe what axe found: the rule, its meaning, and where."""
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {[node['target'] for node in each['nodes']][:5]}"
        for each in found
    ]
