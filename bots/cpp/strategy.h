#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

inline std::mt19937 chance{std::random_device{}()};

/// Returns one of the moves in turn["legal"]: change it! turn["state"] is the position, turn["seat"] your seat.
///
/// In tic-tac-toe the move completes an own line, or else blocks a line of the opponent. Every other move is random.
inline std::string choose(const nlohmann::json& turn) {
    static constexpr const char* lines[] = {"012", "345", "678", "036", "147", "258", "048", "246"};
    if (turn.at("game") == "tictactoe") {
        const std::string board = turn.at("state").at("board");
        for (const char mark : turn.at("seat") == 0 ? std::string{"XO"} : std::string{"OX"}) {
            for (const std::string line : lines) {
                std::string free;
                for (const char square : line)
                    if (board[square - '0'] == '.') free += square;
                const auto held = [&](char square) { return board[square - '0'] == mark; };
                if (free.size() == 1 && std::count_if(line.begin(), line.end(), held) == 2) return free;
            }
        }
    }
    const auto& legal = turn.at("legal");
    return legal.at(std::uniform_int_distribution<std::size_t>{0, legal.size() - 1}(chance));
}
