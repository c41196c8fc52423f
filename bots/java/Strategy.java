import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The strategy of the bot: change {@code choose}. */
class Strategy {
    static final List<String> LINES = List.of("012", "345", "678", "036", "147", "258", "048", "246");

    /**
     * Returns one of the moves in {@code turn.get("legal")}. {@code "state"} is the position, {@code "seat"} your seat.
     *
     * <p>In tic-tac-toe the move completes an own line, or else blocks a line of the opponent. Every other is random.
     */
    static String choose(Map<?, ?> turn) {
        if (turn.get("game").equals("tictactoe")) {
            var board = (String) ((Map<?, ?>) turn.get("state")).get("board");
            for (var mark : turn.get("seat").equals(0.0) ? List.of("X", "O") : List.of("O", "X")) {
                for (var line : LINES) {
                    var squares = List.of(line.split(""));
                    var marks = squares.stream().map(square -> board.split("")[Integer.parseInt(square)]).toList();
                    if (marks.stream().sorted().toList().equals(List.of(".", mark, mark))) {
                        return squares.get(marks.indexOf("."));
                    }
                }
            }
        }
        var legal = (List<?>) turn.get("legal");
        return (String) legal.get(ThreadLocalRandom.current().nextInt(legal.size()));
    }
}
