// The strategy of the bot: change `choose`.

const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"];

/**
 * Returns one of the moves in `turn.legal`. `turn.state` is the position, `turn.seat` your seat.
 * In tic-tac-toe the move completes an own line, or else blocks a line of the opponent. Every other move is random.
 */
export function choose(turn) {
  if (turn.game === "tictactoe") {
    const { board } = turn.state;
    for (const mark of turn.seat === 0 ? "XO" : "OX") {
      for (const line of LINES) {
        const marks = [...line].map((square) => board[square]).sort().join("");
        if (marks === `.${mark}${mark}`) return [...line].find((square) => board[square] === ".");
      }
    }
  }
  return turn.legal[Math.floor(Math.random() * turn.legal.length)];
}
