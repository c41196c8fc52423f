// A Rumble bot. Usage: ./bot [random|winblock]
//
// RUMBLE_JOIN names the tournament; RUMBLE_SERVER, _NAME, _KEY and _INVITE may be in the environment, too.
package main

import (
	"errors"
	"fmt"
	"log"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	soonPause    = time.Second
	silence      = 12 * time.Second // a connection on which nothing came for so long is lost: a server pings each 5 s
)

// errReplaced tells that what plays the tournament is being replaced: it is there again soon.
var errReplaced = errors.New("not available at the moment")
var replaced = map[int]bool{421: true, 502: true, 503: true}

// forGood has the codes after which there is nothing to wait for.
var forGood = map[string]bool{"tournament_closed": true, "removed": true}

// Message has the fields that this bot reads, of all messages; the server's other fields are ignored.
type Message struct {
	Type       string
	Tournament string
	Match      string
	TurnID     string `json:"turn_id"`
	Game       string
	Seat       int
	Seats      []string
	State      struct{ Board string }
	Legal      []string
	YourTurn   bool `json:"your_turn"`
	Code       string
	Message    string
	Winner     *int
	Reason     string
	Rank, Bots int
	Points     float64
}

type login struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Key        string `json:"key,omitempty"`
	Join       string `json:"join"`
	Invite     string `json:"invite,omitempty"`
	MaxMatches int    `json:"max_matches"`
}

type move struct {
	Type   string `json:"type"`
	Match  string `json:"match"`
	TurnID string `json:"turn_id"`
	Move   string `json:"move"`
}

// A strategy returns one of the turn's legal moves.
type strategy func(turn *Message) string

var strategies = map[string]strategy{"random": anyMove, "winblock": winOrBlock}

func anyMove(turn *Message) string {
	return turn.Legal[rand.Intn(len(turn.Legal))]
}

var lines = []string{"012", "345", "678", "036", "147", "258", "048", "246"}

// winOrBlock plays tic-tac-toe: it completes an own line, else blocks one of the opponent's, else makes any move.
// In other games it makes any move.
func winOrBlock(turn *Message) string {
	if turn.Game == "tictactoe" {
		marks := [][]string{{"X", "O"}, {"O", "X"}}[turn.Seat]
		for _, mark := range marks {
			for _, line := range lines {
				if square := missing(turn.State.Board, line, mark); square != "" {
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

// Bot plays in one tournament, and connects again when a connection ends.
type Bot struct {
	url    string
	login  login
	choose strategy
	joined bool                // afterwards an error message no longer ends the bot
	seats  map[string][]string // the names in each match
	turns  map[string]*Message // the newest of each match, to answer again
	over   bool
	pause  time.Duration
}

// play plays over one connection until that ends with an error, or without one because the tournament is over.
func (bot *Bot) play() error {
	socket, answer, err := websocket.DefaultDialer.Dial(bot.url, nil)
	if err == websocket.ErrBadHandshake && answer.StatusCode == 404 && !bot.joined {
		log.Fatalf("there is no club at %s (404)", bot.url)
	}
	if err == websocket.ErrBadHandshake && replaced[answer.StatusCode] {
		return errReplaced
	}
	if err != nil {
		return err
	}
	defer socket.Close()
	pong := socket.PingHandler()
	socket.SetPingHandler(func(data string) error {
		socket.SetReadDeadline(time.Now().Add(silence))
		return pong(data)
	})
	for {
		var message Message
		socket.SetReadDeadline(time.Now().Add(silence))
		if err := socket.ReadJSON(&message); err != nil {
			return err
		}
		if message.Type == "error" && message.Code == "too_many_messages" && !bot.joined {
			return fmt.Errorf("%s", message.Message) // perhaps the wrong keys of neighbours: it tries again
		}
		if answer := bot.answer(&message); answer != nil {
			if err := socket.WriteJSON(answer); err != nil {
				return err
			}
		}
		if bot.over {
			goodbye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			return socket.WriteMessage(websocket.CloseMessage, goodbye)
		}
	}
}

// answer returns the reply to a message: none for most messages, and for types that this bot does not know.
func (bot *Bot) answer(message *Message) any {
	switch message.Type {
	case "welcome":
		return bot.login
	case "joined":
		bot.joined, bot.pause = true, firstPause
	case "match_start":
		bot.seats[message.Match] = message.Seats
	case "turn":
		bot.turns[message.Match] = message
		return move{"move", message.Match, message.TurnID, bot.choose(message)}
	case "match_over":
		log.Printf("%s: %s wins: %s", message.Match, bot.winner(message), message.Reason)
		delete(bot.seats, message.Match)
		delete(bot.turns, message.Match)
	case "tournament_over":
		log.Printf("%s: rank %d of %d, %g points", message.Tournament, message.Rank, message.Bots, message.Points)
		bot.over = message.Tournament == bot.login.Join
	case "error", "rejected", "notice":
		if message.Type == "error" && !bot.joined || forGood[message.Code] {
			log.Fatalf("refused: %s (%s)", message.Message, message.Code)
		}
		log.Printf("%s: %s", message.Code, message.Message)
		if message.YourTurn && (message.Code == "illegal_move" || message.Code == "bad_move") {
			return move{"move", message.Match, message.TurnID, anyMove(bot.turns[message.Match])}
		}
	}
	return nil
}

// winner returns who won; only the seat where the match never began, or is told twice.
func (bot *Bot) winner(message *Message) string {
	if message.Winner == nil {
		return "nobody"
	}
	if names := bot.seats[message.Match]; *message.Winner < len(names) {
		return names[*message.Winner]
	}
	return fmt.Sprint("seat ", *message.Winner)
}

var place = regexp.MustCompile(`(://[^/?#]+(/c/[^/?#]+)?).*`)

// address returns the WebSocket address of a server written http://host:port, ws://host:port or host:port, and /c/NAME.
func address(server string) string {
	if !strings.Contains(server, "://") {
		server = "ws://" + server
	}
	if strings.HasPrefix(server, "http") {
		server = "ws" + strings.TrimPrefix(server, "http")
	}
	return place.ReplaceAllString(server, "$1/bot")
}

func getenv(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func usage(text string) {
	fmt.Fprintln(os.Stderr, text)
	os.Exit(2)
}

func main() {
	log.SetFlags(0)
	rand.Seed(time.Now().UnixNano())
	websocket.DefaultDialer.HandshakeTimeout = silence
	choose := anyMove
	if len(os.Args) > 1 {
		choose = strategies[os.Args[1]]
	}
	if choose == nil || len(os.Args) > 2 {
		usage("usage: bot [random|winblock]")
	}
	join := os.Getenv("RUMBLE_JOIN")
	if join == "" {
		usage("say which tournament to play in: RUMBLE_JOIN=ID")
	}
	bot := Bot{
		url: address(getenv("RUMBLE_SERVER", "127.0.0.1:8765")),
		// It answers turns at once, so it can play several matches at the same time.
		login:  login{"login", getenv("RUMBLE_NAME", "my-bot"), os.Getenv("RUMBLE_KEY"), join, os.Getenv("RUMBLE_INVITE"), 4},
		choose: choose,
		seats:  map[string][]string{},
		turns:  map[string]*Message{},
		pause:  firstPause,
	}
	for {
		err := bot.play()
		if err == nil {
			return
		}
		if websocket.IsCloseError(err, 4001, 4003, 4004, 4010) {
			log.Fatalf("the server closed the connection for good: %v", err)
		}
		log.Printf("%s: %v; trying again", bot.url, err)
		if err == errReplaced {
			time.Sleep(soonPause)
			continue
		}
		if !websocket.IsCloseError(err, 1012) || bot.pause > firstPause { // after 1012 it comes back at once
			time.Sleep(bot.pause/2 + time.Duration(rand.Int63n(int64(bot.pause))))
		}
		if bot.pause *= 2; bot.pause > longestPause {
			bot.pause = longestPause
		}
	}
}
