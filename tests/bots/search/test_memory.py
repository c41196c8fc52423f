"""A table of bounded size that drops old entries."""

from rumble_bots.search.memory import Memory


def test_a_full_memory_keeps_at_least_the_newer_half() -> None:
    memory: Memory[int, str] = Memory(4)
    for number in range(5):
        memory[number] = str(number)
    assert [memory.get(number, "?") for number in range(5)] == ["?", "?", "2", "3", "4"]
    assert len(memory) == 3


def test_a_key_that_is_put_again_counts_as_new() -> None:
    memory: Memory[int, str] = Memory(4)
    for number in (0, 1, 2, 0):
        memory[number] = str(number)
    assert len(memory) == 3
    memory[0] = "zero"
    assert memory.get(0, "?") == "zero"
