"""The script of the page for playing reads typed moves as people write them."""

from playwright.async_api import Page

READ = """async ([texts, spellings, complete]) => {
  const { readTyped } = await import("/static/play/typed.js");
  const read = texts.map((text) => readTyped(text, Object.keys(spellings), spellings, complete));
  return read.map((each) => each.move ?? each.problem);
}"""


async def test_a_typed_move_is_read_as_people_write_it(home: Page) -> None:
    spellings = {
        "b1d2": ["Nbd2", "Nd2"],
        "f3d2": ["Nfd2", "Nd2"],
        "b2c3": ["bxc3"],
        "e1g1": ["O-O"],
        "e1c1": ["O-O-O"],
        "e7e8q": ["e8=Q+", "e8"],
    }
    typed = {
        "f3d2": "f3d2",
        "F3-D2": "f3d2",
        "Nfd2": "f3d2",
        "nbd2!": "b1d2",
        "bc3": "b2c3",
        "0-0": "e1g1",
        "o-o-o": "e1c1",
        "e8Q": "e7e8q",
        "Nd2": "Nd2 may be Nbd2 or Nfd2: type which",
        "Nf3": "Nf3 is not allowed here: it can be Nbd2, Nfd2, bxc3, O-O, O-O-O, e8=Q+",
        "": "Type a move: it can be Nbd2, Nfd2, bxc3, O-O, O-O-O, e8=Q+",
    }
    assert await home.evaluate(READ, [list(typed), spellings, True]) == list(typed.values())


async def test_of_a_sample_of_moves_other_amounts_can_be_typed(home: Page) -> None:
    spellings = {"c": ["call"], "r250": ["raise 250", "bet 250"], "r20000": ["raise 20000", "bet 20000", "all-in"]}
    typed = {"Raise 300": "r300", "bet 1,5": "bet 1,5", "R400": "r400", "all in": "r20000", "call": "c", "f": "f"}
    assert await home.evaluate(READ, [list(typed), spellings, False]) == list(typed.values())
