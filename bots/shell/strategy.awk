# The strategy of the bot: change the main part. The turn comes in as one line of JSON, and the move goes out.
# In tic-tac-toe the move completes an own line, or else blocks a line of the opponent. Every other move is random.

# The JSON value after "name": a text, a number, or a list up to its bracket.
function field(name) {
    if (!match($0, "\"" name "\":(\"[^\"]*\"|[0-9]+|\\[[^]]*\\])")) return ""
    return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
}

# Tic-tac-toe: the square that completes a line of the mark, or an empty text.
function missing(mark,    count, lines, i, marks, free) {
    count = split("123 456 789 147 258 369 159 357", lines, " ")
    for (i = 1; i <= count; i++) {
        marks = at(lines[i], 1) at(lines[i], 2) at(lines[i], 3)
        free = index(marks, ".")
        if (marks == "." mark mark || marks == mark "." mark || marks == mark mark ".")
            return substr(lines[i], free, 1) - 1
    }
    return ""
}
function at(line, i) { return substr(board, substr(line, i, 1), 1) }

{
    count = split(field("legal"), legal, "\"")  # every second part is a move
    srand(seed)
    for (i = 0; i < 10; i++) rand()  # similar seeds begin with similar numbers
    move = legal[2 * (1 + int(rand() * (count - 1) / 2))]

    if (field("game") == "\"tictactoe\"") {
        board = substr(field("board"), 2)
        own = field("seat") == 0 ? "X" : "O"
        block = missing(own == "X" ? "O" : "X")
        win = missing(own)
        if (block != "") move = block
        if (win != "") move = win
    }
    print move
}
