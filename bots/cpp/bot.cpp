// The connection of a Rumble bot, in C++17 with Boost.Beast and nlohmann/json; `strategy.h` chooses the moves.
// RUMBLE_JOIN names the tournament; RUMBLE_SERVER, _NAME, _KEY and _INVITE may be in the environment, too. `key.json` in
// the current folder may have the same values; a variable of the environment counts more than the file.

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "strategy.h"

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using boost::asio::ip::tcp;
using nlohmann::json;

[[noreturn]] void stop(int exit_code, const std::string& text) {
    std::cerr << text << std::endl;
    std::exit(exit_code);
}

/// What `key.json` has; empty without the file.
json kept() {
    std::ifstream file{"key.json"};
    return file ? json::parse(file) : json::object();
}

/// A setting: from the environment, or else from `key.json`, or else the default.
std::string setting(const char* variable, const char* name, const std::string& otherwise) {
    static const json file = kept();
    const char* value = std::getenv(variable);
    return value && *value ? value : file.value(name, otherwise);
}

/// Plays in a tournament and those to which the host moves it, and connects again when a connection ends.
class Bot {
public:
    Bot(std::string host, std::string port, std::string path, std::string tournament)
        : host_{std::move(host)}, port_{std::move(port)}, path_{std::move(path)}, tournament_{std::move(tournament)} {}

    /// Plays until the tournaments are over, and connects again when the connection ends.
    void play() {
        for (;;) {
            again_ = pause_ * std::uniform_real_distribution<>{0.5, 1.5}(chance);
            try {
                connection();
                return;
            } catch (const std::exception& error) {
                std::cerr << host_ << ":" << port_ << ": " << error.what() << "; trying again" << std::endl;
            }
            std::this_thread::sleep_for(again_);
            if (again_ != soon) pause_ = std::min(2 * pause_, longest_pause);
        }
    }

private:
    using Seconds = std::chrono::duration<double>;
    static constexpr Seconds first_pause{0.5}, longest_pause{30}, soon{1};
    static constexpr std::size_t longest_reason = 500;
    static constexpr std::chrono::seconds silence{12};  // a server pings each 5 s

    /// Runs until `done`. Throws if nothing comes for too long: then the connection is lost.
    static void wait(boost::asio::io_context& context, const bool& done) {
        for (; !done; context.restart())
            if (context.run_one_for(silence) == 0) throw std::runtime_error{"nothing came for 12 s"};
    }

    /// Plays over one connection until that ends with an exception, or without one because the tournaments are over.
    void connection() {
        boost::asio::io_context context;
        websocket::stream<tcp::socket> socket{context};
        boost::asio::connect(socket.next_layer(), tcp::resolver{context}.resolve(host_, port_));
        const auto place = host_ + ":" + port_;
        websocket::response_type response;  // only the asynchronous way tells it if it is no upgrade
        beast::error_code refused;
        bool done = false;
        const auto ended = [&](beast::error_code error, std::size_t = 0) {
            refused = error;
            done = true;
        };
        socket.async_handshake(response, place, path_, ended);
        wait(context, done);
        if (refused == websocket::error::upgrade_declined && response.result_int() == 404 && !joined_)
            stop(1, "there is no club at " + place + path_ + " (404)");
        const auto status = refused == websocket::error::upgrade_declined ? response.result_int() : 0;
        if (status == 421 || status == 502 || status == 503) again_ = soon;  // what plays is being replaced
        if (refused) throw beast::system_error{refused};
        try {
            for (;;) {
                beast::flat_buffer frame;
                done = false;
                socket.async_read(frame, ended);
                wait(context, done);
                if (refused) throw beast::system_error{refused};
                if (const auto reply = answer(json::parse(beast::buffers_to_string(frame.data()))))
                    socket.write(boost::asio::buffer(reply->dump(-1, ' ', false, json::error_handler_t::replace)));
                if (over_) {
                    socket.close(websocket::close_code::normal);
                    return;
                }
            }
        } catch (const beast::system_error&) {
            const auto code = socket.reason().code;
            if (code == 4001 || code == 4003 || code == 4004 || code == 4010)
                stop(1, "the server closed the connection for good: " + std::string{socket.reason().reason.c_str()});
            if (code == 1012 && pause_ == first_pause) again_ = Seconds{0};  // it comes back at once
            throw;
        }
    }

    /// The reply to a message: none for most messages, and for types that this bot does not know.
    std::optional<json> answer(const json& message) {
        const std::string type = message.at("type");
        if (type == "welcome") {
            const auto features = message.value("features", json::array());
            const auto has = [&](const char* name) { return std::count(features.begin(), features.end(), name) > 0; };
            tells_failures_ = has("failure");
            // It answers turns at once, so it can play several matches at the same time.
            json login{{"type", "login"}, {"join", tournament_}, {"max_matches", 4}};
            login["name"] = setting("RUMBLE_NAME", "name", "my-bot");
            if (const auto key = setting("RUMBLE_KEY", "key", ""); !key.empty()) login["key"] = key;
            if (const auto code = setting("RUMBLE_INVITE", "invite", ""); !code.empty()) login["invite"] = code;
            if (has("follow")) login["follow"] = true;
            return login;
        }
        if (type == "turn") {
            turns_[message.at("match")] = message;
            return answer_to(message);
        }
        if (type == "session" && joined_) {  // some tournaments began or ended meanwhile
            playing_.clear();
            for (const auto& each : message.at("tournaments")) playing_.insert(each.at("id"));
        } else if (type == "joined") {
            playing_.insert(message.at("tournament"));
            joined_ = true;
            pause_ = first_pause;
        } else if (type == "match_start") {
            seats_[message.at("match")] = message.at("seats");
        } else if (type == "match_over") {
            const std::string match = message.at("match"), reason = message.at("reason");
            std::cerr << match << ": " << winner(message) << " wins: " << reason << std::endl;
            seats_.erase(match);
            turns_.erase(match);
        } else if (type == "tournament_over") {
            const std::string tournament = message.at("tournament");
            std::cerr << tournament << ": rank " << message.at("rank") << " of " << message.at("bots") << ", "
                      << message.at("points") << " points" << std::endl;
            playing_.erase(tournament);
            over_ = playing_.empty();
        } else if (type == "error" || type == "rejected" || type == "notice") {
            const std::string text = message.at("message"), code = message.at("code");
            if (type == "error" && !joined_ && code == "too_many_messages")
                throw std::runtime_error{text};  // perhaps the wrong keys of neighbours: it tries again
            if (type == "error" && !joined_) stop(1, "refused: " + text + " (" + code + ")");
            if (code == "tournament_closed" || code == "removed") stop(1, "it is over: " + text);
            std::cerr << code << ": " << text << std::endl;
            if ((code == "illegal_move" || code == "bad_move") && message.at("your_turn") == true) {
                const auto& turn = turns_.at(message.at("match"));
                const auto& legal = turn.at("legal");
                return move(turn, legal.at(std::uniform_int_distribution<std::size_t>{0, legal.size() - 1}(chance)));
            }
        }
        return std::nullopt;
    }

    /// The answer to a turn: the move of the strategy, or the resignation if the strategy throws.
    json answer_to(const json& turn) const {
        try {
            return move(turn, choose(turn));
        } catch (const std::exception& error) {
            const auto reason = (std::string{"strategy.h: "} + error.what()).substr(0, longest_reason);
            const std::string match = turn.at("match");
            std::cerr << match << ": resigning: " << reason << std::endl;
            json resign{{"type", "resign"}, {"match", match}};
            if (tells_failures_) resign.update({{"failed", true}, {"reason", reason}});
            return resign;
        }
    }

    /// Who won; only the seat where the match never began, or is told twice.
    std::string winner(const json& message) const {
        if (message.at("winner").is_null()) return "nobody";
        const std::size_t seat = message.at("winner");
        const auto names = seats_.find(message.at("match"));
        return names == seats_.end() ? "seat " + std::to_string(seat) : names->second.at(seat).get<std::string>();
    }

    static json move(const json& turn, const std::string& chosen) {
        return {{"type", "move"}, {"match", turn.at("match")}, {"turn_id", turn.at("turn_id")}, {"move", chosen}};
    }

    const std::string host_, port_, path_, tournament_;
    std::set<std::string> playing_{tournament_};  // the tournaments that are not over
    std::map<std::string, json> seats_;  // the names in each match
    std::map<std::string, json> turns_;  // the newest of each match, to answer again
    bool tells_failures_ = false;  // whether the server has the feature `failure`
    bool joined_ = false;  // afterwards an error message no longer ends the bot
    bool over_ = false;
    Seconds pause_ = first_pause, again_{};
};

int main() {
    const auto tournament = setting("RUMBLE_JOIN", "tournament", "");
    if (tournament.empty()) stop(2, "say which tournament to play in: RUMBLE_JOIN=ID");
    const auto server = setting("RUMBLE_SERVER", "server", "127.0.0.1:8765");
    std::smatch parts;
    const std::regex form{R"((?:(?:http|ws)://)?\[?([^/\[\]]+?)\]?(?::(\d+))?(/c/[^/?#]+)?(?:[/?#].*)?)"};
    if (!std::regex_match(server, parts, form))
        stop(2, "RUMBLE_SERVER: write host:port, ws://host:port or http://host:port, and /c/NAME for a club (no TLS)");
    const std::string port = parts[2].matched ? parts[2].str() : "80";
    Bot{parts[1], port, parts[3].str() + "/bot", tournament}.play();
}
