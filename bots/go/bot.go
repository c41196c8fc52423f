// The connection of a Rumble bot; `strategy.go` chooses the moves.
//
// RUMBLE_JOIN names the tournament; RUMBLE_SERVER, _NAME, _KEY and _INVITE may be in the environment, too. `key.json` in
// the current folder may have the same values; a variable of the environment counts more than the file.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const (
	firstPause    = 500 * time.Millisecond
	longestPause  = 30 * time.Second
	soonPause     = time.Second
	longestReason = 500              // runes
	silence       = 12 * time.Second // a connection on which nothing came for so long is lost: a server pings each 5 s
)

// errReplaced tells that the server is being replaced, and comes back soon.
var errReplaced = errors.New("not available at the moment")
var replaced = map[int]bool{421: true, 502: true, 503: true}

// forGood has the codes after which there is nothing to wait for.
var forGood = map[string]bool{"tournament_closed": true, "removed": true}

// Message has the fields that this bot reads, of all messages; the server's other fields are ignored.
type Message struct {
	Type       string
	Features   []string
	Tournament string
	Match      string
	TurnID     string `json:"turn_id"`
	Game       string
	Seat       int
	Seats      []string
	State      json.RawMessage
	Legal      []string
	YourTurn   bool `json:"your_turn"`
	Code       string
	Message    string
	Winner     *int
	Reason     string
	Rank, Bots int
	Points     float64

	Tournaments []struct{ ID string } // of a session: the tournaments that are not over
}

type login struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Key        string `json:"key,omitempty"`
	Join       string `json:"join"`
	Invite     string `json:"invite,omitempty"`
	MaxMatches int    `json:"max_matches"`
	Follow     bool   `json:"follow,omitempty"`
}

type move struct {
	Type   string `json:"type"`
	Match  string `json:"match"`
	TurnID string `json:"turn_id"`
	Move   string `json:"move"`
}

type resign struct {
	Type   string `json:"type"`
	Match  string `json:"match"`
	Failed bool   `json:"failed,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func anyMove(turn *Message) string {
	return turn.Legal[rand.Intn(len(turn.Legal))]
}

// Bot plays in a tournament and those to which the host moves it, and connects again when a connection ends.
type Bot struct {
	url     string
	login   login
	tells   bool                // whether the server has the feature `failure`
	playing map[string]bool     // the tournaments that are not over
	joined  bool                // afterwards an error message no longer ends the bot
	seats   map[string][]string // the names in each match
	turns   map[string]*Message // the newest of each match, to answer again
	over    bool
	pause   time.Duration
}

// play plays over one connection until that ends with an error, or without one because the tournaments are over.
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
		for _, feature := range message.Features {
			bot.tells = bot.tells || feature == "failure"
			bot.login.Follow = bot.login.Follow || feature == "follow"
		}
		return bot.login
	case "session":
		if bot.joined { // some tournaments began or ended meanwhile
			bot.playing = map[string]bool{}
			for _, each := range message.Tournaments {
				bot.playing[each.ID] = true
			}
		}
	case "joined":
		bot.playing[message.Tournament] = true
		bot.joined, bot.pause = true, firstPause
	case "match_start":
		bot.seats[message.Match] = message.Seats
	case "turn":
		bot.turns[message.Match] = message
		return bot.answerTo(message)
	case "match_over":
		log.Printf("%s: %s wins: %s", message.Match, bot.winner(message), message.Reason)
		delete(bot.seats, message.Match)
		delete(bot.turns, message.Match)
	case "tournament_over":
		log.Printf("%s: rank %d of %d, %g points", message.Tournament, message.Rank, message.Bots, message.Points)
		delete(bot.playing, message.Tournament)
		bot.over = len(bot.playing) == 0
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

// answerTo returns the move of the strategy, or the resignation if the strategy panics.
func (bot *Bot) answerTo(turn *Message) (reply any) {
	defer func() {
		failure := recover()
		if failure == nil {
			return
		}
		debug.PrintStack()
		reason := []rune(fmt.Sprintf("%s: %v", failedAt(), failure))
		if len(reason) > longestReason {
			reason = reason[:longestReason]
		}
		log.Printf("%s: resigning: %s", turn.Match, string(reason))
		answer := resign{Type: "resign", Match: turn.Match}
		if bot.tells {
			answer.Failed, answer.Reason = true, string(reason)
		}
		reply = answer
	}()
	return move{"move", turn.Match, turn.TurnID, choose(turn)}
}

// failedAt returns the line of the strategy that panics; a deferred function calls it.
func failedAt() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); filepath.Base(frame.File) == "strategy.go" {
			return fmt.Sprint("strategy.go:", frame.Line)
		}
	}
	return "strategy.go"
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

// setting returns a setting: from the environment, or else from `key.json`, or else the default.
func setting(name, kept, otherwise string) string {
	if value := os.Getenv("RUMBLE_" + name); value != "" {
		return value
	}
	if kept != "" {
		return kept
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
	var kept struct{ Server, Tournament, Name, Key, Invite string }
	if text, err := os.ReadFile("key.json"); err == nil {
		if err := json.Unmarshal(text, &kept); err != nil {
			usage("key.json: " + err.Error())
		}
	}
	join := setting("JOIN", kept.Tournament, "")
	if join == "" {
		usage("say which tournament to play in: RUMBLE_JOIN=ID")
	}
	key, invite := setting("KEY", kept.Key, ""), setting("INVITE", kept.Invite, "")
	bot := Bot{
		url: address(setting("SERVER", kept.Server, "127.0.0.1:8765")),
		// It answers turns at once, so it can play several matches at the same time.
		login:   login{"login", setting("NAME", kept.Name, "my-bot"), key, join, invite, 4, false},
		playing: map[string]bool{join: true},
		seats:   map[string][]string{},
		turns:   map[string]*Message{},
		pause:   firstPause,
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
