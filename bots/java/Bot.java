import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The connection of a Rumble bot, with nothing but the JDK, 17 or later; {@code Strategy.java} chooses the moves.
 *
 * <p>RUMBLE_JOIN names the tournament; RUMBLE_SERVER, _NAME, _KEY and _INVITE may be in the environment, too.
 * {@code key.json} in the current folder may have the same values; a variable of the environment counts more than the file.
 */
public class Bot {
    static final Set<Integer> STAY_AWAY = Set.of(4001, 4003, 4004, 4010); // after these a bot must not connect again
    static final Set<String> FAULTS = Set.of("illegal_move", "bad_move"); // then another move may be allowed
    static final Set<String> FOR_GOOD = Set.of("tournament_closed", "removed"); // nothing to wait for after these
    static final int LONGEST_REASON = 500; // characters
    static final long PING_S = 1;
    static final long FIRST_PAUSE_MS = 500;
    static final long LONGEST_PAUSE_MS = 30_000;
    static final Set<Integer> REPLACED = Set.of(421, 502, 503); // what plays the tournament is there again soon
    static final long SOON_MS = 1000;
    static final int BACK_AT_ONCE = 1012; // the close code for the same
    static final Duration SILENCE = Duration.ofSeconds(12); // a silent connection is lost: a server pings each 5 s

    private final URI address;
    private final String tournament;
    private final Map<?, ?> kept;
    private final Set<Object> playing; // the tournaments that are not over
    private final Map<Object, List<?>> seats = new HashMap<>(); // the names in each match
    private final Map<Object, Map<?, ?>> turns = new HashMap<>(); // the newest of each match, to answer again
    private volatile boolean tellsFailures; // whether the server has the feature `failure`
    private volatile boolean joined; // afterwards an error message no longer ends the bot
    private volatile boolean over;
    private volatile long pauseMs = FIRST_PAUSE_MS;

    Bot(URI address, String tournament, Map<?, ?> kept) {
        this.address = address;
        this.tournament = tournament;
        this.playing = new HashSet<>(Set.of(tournament));
        this.kept = kept;
    }

    static String anyMove(Map<?, ?> turn) {
        var legal = (List<?>) turn.get("legal");
        return (String) legal.get(ThreadLocalRandom.current().nextInt(legal.size()));
    }

    /** The answer to a turn: the move of the strategy, or the resignation if the strategy fails. */
    private Map<String, Object> answerTo(Map<?, ?> turn) {
        try {
            var chosen = Strategy.choose(turn);
            if (chosen == null) throw new NullPointerException("choose returned null, which is not a move");
            return move(turn, chosen);
        } catch (Exception | StackOverflowError | AssertionError error) {
            error.printStackTrace();
            var place = Arrays.stream(error.getStackTrace())
                    .filter(frame -> "Strategy.java".equals(frame.getFileName())).findFirst()
                    .map(frame -> "Strategy.java:" + frame.getLineNumber()).orElse("Strategy.java");
            var reason = place + ": " + error;
            reason = reason.substring(0, Math.min(reason.length(), LONGEST_REASON)).replaceAll("\\p{Cs}", "?"); // no half character
            System.err.println(turn.get("match") + ": resigning: " + reason);
            var resign = Map.<String, Object>of("type", "resign", "match", turn.get("match"));
            if (!tellsFailures) return resign;
            var answer = new HashMap<>(resign);
            answer.putAll(Map.of("failed", true, "reason", reason));
            return answer;
        }
    }

    /** The reply to a message: none for most messages, and for types that this bot does not know. */
    private Map<String, Object> answer(Map<?, ?> message) {
        switch ((String) message.get("type")) {
            case "welcome" -> {
                var features = message.get("features") instanceof List<?> list ? list : List.of();
                tellsFailures = features.contains("failure");
                // It answers turns at once, so it can play several matches at the same time.
                var login = new HashMap<String, Object>(Map.of("type", "login", "join", tournament, "max_matches", 4));
                login.put("name", setting("NAME", kept.get("name"), "my-bot"));
                for (var each : List.of("key", "invite")) {
                    var value = setting(each.toUpperCase(), kept.get(each), "");
                    if (!value.isEmpty()) login.put(each, value);
                }
                if (features.contains("follow")) login.put("follow", true);
                return login;
            }
            case "session" -> {
                if (!joined) break;
                playing.clear(); // some tournaments began or ended meanwhile
                for (var each : (List<?>) message.get("tournaments")) playing.add(((Map<?, ?>) each).get("id"));
            }
            case "joined" -> {
                playing.add(message.get("tournament"));
                joined = true;
                pauseMs = FIRST_PAUSE_MS;
            }
            case "match_start" -> seats.put(message.get("match"), (List<?>) message.get("seats"));
            case "turn" -> {
                turns.put(message.get("match"), message);
                return answerTo(message);
            }
            case "match_over" -> {
                System.err.printf("%s: %s wins: %s%n", message.get("match"), winner(message), message.get("reason"));
                seats.remove(message.get("match"));
                turns.remove(message.get("match"));
            }
            case "tournament_over" -> {
                System.err.printf("%s: rank %.0f of %.0f, %s points%n", message.get("tournament"),
                        message.get("rank"), message.get("bots"), message.get("points"));
                playing.remove(message.get("tournament"));
                over = playing.isEmpty();
            }
            case "error", "rejected", "notice" -> {
                var text = message.get("message") + " (" + message.get("code") + ")";
                if (message.get("type").equals("error") && !joined && message.get("code").equals("too_many_messages"))
                    throw new IllegalStateException(text); // perhaps the wrong keys of neighbours: it tries again
                if (message.get("type").equals("error") && !joined) stop(1, "refused: " + text);
                if (FOR_GOOD.contains(message.get("code"))) stop(1, "it is over: " + text);
                System.err.println(text);
                if (FAULTS.contains(message.get("code")) && message.get("your_turn").equals(true)) {
                    var turn = turns.get(message.get("match"));
                    return move(turn, anyMove(turn));
                }
            }
            default -> { }
        }
        return null;
    }

    /** Who won; only the seat where the match never began, or is told twice. */
    private Object winner(Map<?, ?> message) {
        if (message.get("winner") == null) return "nobody";
        var seat = ((Double) message.get("winner")).intValue();
        var names = seats.get(message.get("match"));
        return names == null ? "seat " + seat : names.get(seat);
    }

    private static Map<String, Object> move(Map<?, ?> turn, String chosen) {
        return Map.of("type", "move", "match", turn.get("match"), "turn_id", turn.get("turn_id"), "move", chosen);
    }

    /** One connection: assembles frames, answers them one after another, and reports its end. */
    private class Connection implements WebSocket.Listener {
        record Closed(int code, String reason) { }

        final CompletableFuture<Closed> ended = new CompletableFuture<>();
        private final StringBuilder frame = new StringBuilder();
        private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);
        private volatile boolean thinks; // then nothing is heard
        private volatile long heardAt = System.nanoTime();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            frame.append(part);
            if (last) {
                thinks = true;
                var reply = answer((Map<?, ?>) new Json(frame.toString()).value());
                frame.setLength(0);
                if (reply != null) sent = sent.thenCompose(before -> socket.sendText(Json.write(reply), true));
                if (over) sent.thenCompose(before -> socket.sendClose(WebSocket.NORMAL_CLOSURE, ""));
            }
            heardAt = System.nanoTime();
            thinks = false;
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
            heardAt = System.nanoTime();
            return WebSocket.Listener.super.onPing(socket, message);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            ended.complete(new Closed(code, reason));
            return null;
        }

        /** Waits for the end. JDK 17 may miss that a connection broke while a frame came; a ping then fails. */
        Closed end(WebSocket socket) throws ExecutionException, InterruptedException {
            while (true) {
                try {
                    return ended.get(PING_S, TimeUnit.SECONDS);
                } catch (TimeoutException quiet) {
                    if (!thinks && System.nanoTime() - heardAt > SILENCE.toNanos()) {
                        socket.abort();
                        throw new ExecutionException(quiet);
                    }
                    socket.sendPing(ByteBuffer.allocate(0)).join();
                }
            }
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            ended.completeExceptionally(error);
        }
    }

    /** Plays until the tournaments are over, and connects again when the connection ends. */
    void play() throws InterruptedException {
        var client = HttpClient.newHttpClient();
        while (true) {
            var backAtOnce = false;
            try {
                var connection = new Connection();
                var builder = client.newWebSocketBuilder().connectTimeout(SILENCE);
                var socket = builder.buildAsync(address, connection).join();
                var closed = connection.end(socket);
                if (over) return;
                if (STAY_AWAY.contains(closed.code)) stop(1, "the server closed the connection for good: " + closed);
                System.err.println(closed + "; trying again");
                backAtOnce = closed.code == BACK_AT_ONCE && pauseMs == FIRST_PAUSE_MS;
            } catch (CompletionException | ExecutionException error) {
                if (over) return;
                var status = error.getCause() instanceof WebSocketHandshakeException refused
                        ? refused.getResponse().statusCode() : 0;
                if (status == 404 && !joined) stop(1, "there is no club at " + address + " (404)");
                System.err.println(address + ": " + error.getCause() + "; trying again");
                if (REPLACED.contains(status)) {
                    Thread.sleep(SOON_MS);
                    continue;
                }
            }
            if (!backAtOnce) Thread.sleep((long) (pauseMs * ThreadLocalRandom.current().nextDouble(0.5, 1.5)));
            pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        }
    }

    private static void stop(int exitCode, String text) {
        System.err.println(text);
        System.exit(exitCode);
    }

    /** A setting: from the environment, or else from {@code key.json}, or else the default. */
    private static String setting(String name, Object kept, String otherwise) {
        var value = System.getenv("RUMBLE_" + name);
        return value != null && !value.isEmpty() ? value : kept != null ? (String) kept : otherwise;
    }

    private static Map<?, ?> kept() throws IOException {
        try {
            return (Map<?, ?>) new Json(Files.readString(Path.of("key.json"))).value();
        } catch (NoSuchFileException none) {
            return Map.of();
        }
    }

    public static void main(String[] arguments) throws InterruptedException, IOException {
        var kept = kept();
        var tournament = setting("JOIN", kept.get("tournament"), "");
        if (tournament.isEmpty()) stop(2, "say which tournament to play in: RUMBLE_JOIN=ID");
        var server = setting("SERVER", kept.get("server"), "127.0.0.1:8765");
        server = server.contains("://") ? server.replaceFirst("^http", "ws") : "ws://" + server;
        var address = server.replaceFirst("(://[^/?#]+(/c/[^/?#]+)?).*", "$1/bot");
        new Bot(URI.create(address), tournament, kept).play();
    }

    /** JSON, which the JDK does not have: reads all valid JSON, writes flat objects. */
    private static class Json {
        private static final String SHORT = "bfnrt", MEANT = "\b\f\n\r\t";

        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        /** Reads the next value: a map, list, text, double, boolean or null. */
        Object value() {
            switch (peek()) {
                case '{':
                    var map = new HashMap<String, Object>();
                    for (at++; !took('}'); took(',')) {
                        peek();
                        var key = string();
                        took(':');
                        map.put(key, value());
                    }
                    return map;
                case '[':
                    var list = new ArrayList<Object>();
                    for (at++; !took(']'); took(',')) list.add(value());
                    return list;
                case '"':
                    return string();
                default:
                    var start = at;
                    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
                    var word = text.substring(start, at);
                    return switch (word) {
                        case "null" -> null;
                        case "true", "false" -> Boolean.valueOf(word);
                        default -> Double.valueOf(word);
                    };
            }
        }

        private String string() {
            var read = new StringBuilder();
            while (text.charAt(++at) != '"') {
                var next = text.charAt(at);
                if (next == '\\') {
                    next = text.charAt(++at);
                    if (next == 'u') {
                        next = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else if (SHORT.indexOf(next) >= 0) {
                        next = MEANT.charAt(SHORT.indexOf(next));
                    }
                }
                read.append(next);
            }
            at++;
            return read.toString();
        }

        private char peek() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private boolean took(char wanted) {
            var there = peek() == wanted;
            if (there) at++;
            return there;
        }

        static String write(Map<String, Object> fields) {
            var written = new ArrayList<String>();
            fields.forEach((name, value) ->
                    written.add(quoted(name) + ":" + (value instanceof String ? quoted(value) : value)));
            return "{" + String.join(",", written) + "}";
        }

        private static String quoted(Object text) {
            var written = text.toString().replace("\\", "\\\\").replace("\"", "\\\"");
            return '"' + written.replaceAll("\\p{Cntrl}", " ") + '"';
        }
    }
}
