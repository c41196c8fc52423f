"""Reading pages in tests."""

from html.parser import HTMLParser

NASTY = "<script>alert(1)</script>"
ADDRESSES = frozenset({"href", "src", "action", "data-source", "formaction", "poster", "srcset", "content"})
"""Attributes that hold an address; `content` of an element `meta` may hold another text."""


class Page(HTMLParser):
    """The parts of a page that tests read: text, addresses, and whatever a strict policy would refuse."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.addresses: list[str] = []
        self.refused: list[str] = []
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        found = [value for name, value in attrs if name in ADDRESSES and value]
        self.addresses += [value for value in found if tag != "meta" or value.startswith(("/", "http"))]
        if (tag == "script" and "src" not in given) or tag == "style" or "style" in given:
            self.refused.append(tag)
        self.refused += [name for name in given if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data
