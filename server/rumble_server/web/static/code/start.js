/** Returns one of the legal moves. turn.state is the position, turn.seat your seat. */
function choose(turn) {
  return turn.legal[Math.floor(Math.random() * turn.legal.length)];
}
