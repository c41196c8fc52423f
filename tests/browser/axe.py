"""The check of a page by axe-core, and its complaints in words."""

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
    """Return the script: from the file named by `AXE`, else from `npm install` in the repository; None without both."""
    installed = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
    path = Path(os.environ.get("AXE") or installed)
    return path.read_text(encoding="utf-8") if path.is_file() else None


def complaints(found: list[dict[str, Any]]) -> list[str]:
    """Describe each complaint of axe: the rule, its meaning, and up to five elements."""
    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {[node['target'] for node in each['nodes']][:5]}"
        for each in found
    ]
