package main

import "encoding/json"

var lines = []string{"012", "345", "678", "036", "147", "258", "048", "246"}

// choose returns one of the moves in turn.Legal: change it! turn.State is the position as JSON, turn.Seat your seat.
//
// In tic-tac-toe the move completes an own line, or else blocks a line of the opponent. Every other move is random.
func choose(turn *Message) string {
	if turn.Game == "tictactoe" {
		var state struct{ Board string }
		if err := json.Unmarshal(turn.State, &state); err != nil {
			panic(err)
		}
		marks := [][]string{{"X", "O"}, {"O", "X"}}[turn.Seat]
		for _, mark := range marks {
			for _, line := range lines {
				if square := missing(state.Board, line, mark); square != "" {
					return square
				}
			}
		}
	}
	return anyMove(turn)
}

// missing returns the free square of a line whose other squares have the mark, or "".
func missing(board, line, mark string) (free string) {
	for _, square := range line {
		switch board[square-'0'] {
		case mark[0]:
		case '.':
			if free != "" {
				return ""
			}
			free = string(square)
		default:
			return ""
		}
	}
	return free
}
