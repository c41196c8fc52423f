"""axe-core: its check, and what it complains of."""

import os
from pathlib import Path
from typing import Any, Literal

WIDTHS = (360, 1280)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CHECK = """async (rules) => {
  const only = rules?.length ? { runOnly: rules } : {};
  return (await axe.run({ resultTypes: ["violations"], preload: false, ...only })).violations;
}"""


def axe_script() -> str | None:
    """Return the script: the file that `AXE` names, else the one that `npm install` puts here; None without either."""
    installed = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
    path = Path(os.environ.get("AXE") or installed)
    return path.read_text(encoding="utf-8") if path.is_file() else None


def complaints(found: list[dict[str, Any]]) -> list[str]:
    """Describe what axe found: the rule, its meaning, and where."""
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {[node['target'] for node in each['nodes']][:5]}"
        for each in found
    ]
