"""The metadata hook: on a package's page the README's relative links lead to this version in the repository."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<picture>!?)(?P<text>\[[^\]]*\]\()(?![a-z]+:|#)(?P<path>[^)]+)")


class ReadmeHook(MetadataHookInterface):
    """Gives `readme`, with absolute links made of the address `Repository` in `[project.urls]`."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        home, version = metadata["urls"]["Repository"], metadata["version"]

        def absolute(link: re.Match[str]) -> str:
            kind = "raw" if link["picture"] else "blob"
            return f"{link['picture']}{link['text']}{home}/{kind}/v{version}/{link['path']}"

        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": _LINK.sub(absolute, readme)}
