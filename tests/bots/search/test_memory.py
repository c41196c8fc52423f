"""A table of bounded size that drops old entries."""

from rumble_bots.search.memory import Memory


def test_it_keeps_the_newer_half_for_sure() -> None:
    memory: Memory[int, str] = Memory(4)
    for number in range(5):
        memory[number] = str(number)
    assert [memory.get(number, "?") for number in range(5)] == ["?", "?", "2", "3", "4"]
    assert len(memory) == 3


def test_what_is_put_again_is_new_again() -> None:
    memory: Memory[int, str] = Memory(4)
    for number in (0, 1, 2, 0):
        memory[number] = str(number)
    assert len(memory) == 3
    memory[0] = "zero"
    assert memory.get(0, "?") == "zero"
