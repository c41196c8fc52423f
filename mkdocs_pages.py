"""The hook of mkdocs.yml: the site has pages from all over the repository, each with its path there as its address.

So links between pages work as they stand. Links to other files of the repository become links to its home, which
`[project.urls]` in pyproject.toml names.
"""

import posixpath
import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent
HOME = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]
ASSETS = ("docs/images", "docs/growth.svg", "docs/site.css", "server/rumble_server/web/static/icon.svg")
"""What pages show and use: files, and folders of files."""

SEARCH = 'data-md-component="search" role="dialog"'
"""The theme's dialog of the search, which has no name."""

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace what is in docs/ by the pages of the navigation and their assets, under their paths in the repository."""
    theme = [file for file in files if file.generated_by or file.src_dir != config.docs_dir]
    ours = [File.generated(config, path, abs_src_path=str(ROOT / path)) for path in (*pages(config.nav), *_assets())]
    return Files([*theme, *ours])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to files that are not on the site to the repository's home. One to nothing stays, and is an error."""
    folder = posixpath.dirname(page.file.src_uri)

    def point(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        if files.get_file_from_path(path) is not None or not (ROOT / path).exists():
            return link[1]
        return f"{HOME}/{'tree' if (ROOT / path).is_dir() else 'blob'}/HEAD/{path}"

    return _LINK.sub(point, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the dialog of the search, for screen readers."""
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')


def pages(nav: object) -> list[str]:
    """Return the paths that a navigation names, in order."""
    if isinstance(nav, str):
        return [nav]
    return [path for each in (nav.values() if isinstance(nav, dict) else nav) for path in pages(each)]


def _assets() -> list[str]:
    found = [path for name in ASSETS for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()]
    return [path.relative_to(ROOT).as_posix() for path in found]
