"""Measures the layout shifts of a page (https://web.dev/articles/cls): their sum, and the elements that moved."""

from dataclasses import dataclass

from playwright.async_api import Page

WATCH = """() => {
  const seen = (window.seen = { since: performance.now(), shift: 0, moved: {}, places: 0 });
  const named = (node) => {
    const own = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    return own ? `#${own.closest("[id]")?.id} ${own.localName}.${own.getAttribute("class") ?? ""}` : "(gone)";
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      seen.shift += entry.value;
      for (const { node } of entry.sources) seen.moved[named(node)] = (seen.moved[named(node)] ?? 0) + entry.value;
    }
  }).observe({ type: "layout-shift" });
  let before = new Map();
  const look = () => {
    const boards = [...document.querySelectorAll("#boards article")];
    const shown = boards.filter((board) => board.dataset.match);
    const { offsetLeft, offsetTop } = boards[0];
    const place = (board) => `${board.offsetLeft - offsetLeft} ${board.offsetTop - offsetTop}`;
    const now = new Map(shown.map((board) => [board.dataset.match, place(board)]));
    for (const [match, place] of now) seen.places += before.has(match) && before.get(match) !== place;
    before = now;
    requestAnimationFrame(look);
  };
  look();
}"""
READ = "() => ({ ...window.seen, during: performance.now() - window.seen.since })"


@dataclass(frozen=True, slots=True)
class Seen:
    """The shifts of a page since `watch`. `moved` sums the shifts by element, `places` counts boards that jumped."""

    a_minute: float
    moved: dict[str, float]
    places: int


async def watch(page: Page) -> None:
    """Begin to watch a page."""
    await page.evaluate(WATCH)


async def seen(page: Page) -> Seen:
    """Return the shifts since `watch`."""
    measured = await page.evaluate(READ)
    return Seen(measured["shift"] * 60_000 / measured["during"], measured["moved"], measured["places"])
