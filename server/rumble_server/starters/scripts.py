"""Scripts that run a starter from its unpacked zip: for Windows, and for the shells of Linux and macOS."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rumble_server.starters.starter import Language

NEEDED = "key.json"
"""A file of every zip. If `run.bat` does not find the file beside itself, the zip has not been unpacked."""

_BATCH = """\
@echo off
rem Runs the bot on Windows: double-click this file in the unpacked folder.
setlocal
rem pushd can enter a network folder, too. No other line has the path, which may have any characters.
pushd "%~dp0"
if not exist {needed} goto packed
rem The python.exe of Windows that only opens the Store does not give the answer.
{probes}
echo This bot needs {needs}.
goto end
:run
{run}
goto end
:packed
echo The other files of the bot are not here: this file still is inside of the zip.
echo Close this window, click on the zip with the right mouse button, and choose "Extract All".
echo Then open the new folder, and double-click run.bat there.
:end
popd
pause
"""
_PROBE = """\
set "RUN={program}"
for /f %%w in ('%RUN% {question} 2^>nul') do if "%%w"=="{answer}" goto run"""
_SHELL = """\
#!/bin/sh
# Runs the bot: sh run.sh, or a double-click on run.command on a Mac.
cd "$(dirname "$0")" || exit 1
case $({program} {question} 2>/dev/null) in
{answer}*) ;;
*) echo "This bot needs {needs}." >&2 && exit 1 ;;
esac
{run}
"""
_SHELL_BOT = """\
kept() { sed -n 's/.*"'"$1"'": "\\([^"]*\\)".*/\\1/p' key.json; }
export RUMBLE_SERVER="$(kept server)" RUMBLE_JOIN="$(kept tournament)" RUMBLE_NAME="$(kept name)"
export RUMBLE_KEY="$(kept key)" RUMBLE_INVITE="$(kept invite)"
exec rumble bridge stdio --follow -- sh bot.sh"""
"""The command that runs the starter of the language `shell`, with the settings of `key.json` in the environment."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The commands that look for the tools of a language, and the commands that run the starter."""

    needs: str
    program: str
    question: str
    """Arguments for `program`. With these arguments, a program that is new enough first prints the text of `answer`."""
    answer: str
    """The word that a program prints first for the arguments `question`, if the program is new enough."""
    run: str
    """The command that runs the starter in a shell."""
    on_windows: str | None
    """The command that runs the starter on Windows; None if the starter cannot run there. %RUN% stands for the first of
    `windows_programs` that the script finds."""
    windows_programs: Sequence[str] = ()
    """The programs to try on Windows, in order; by default `program`."""

    @property
    def batch(self) -> str | None:
        """The text of `run.bat`, in ASCII; None if the starter cannot run on Windows.

        The line ends are CRLF, because the labels of the script need CRLF.
        """
        if self.on_windows is None:
            return None
        known = {"question": self.question, "answer": self.answer}
        programs = self.windows_programs or (self.program,)
        probes = "\n".join(_PROBE.format(program=program, **known) for program in programs)
        text = _BATCH.format(needed=NEEDED, probes=probes, needs=self.needs, run=self.on_windows)
        return text.replace("\n", "\r\n")

    @property
    def shell(self) -> str:
        """The text of `run.sh` and `run.command`."""
        return _SHELL.format(**asdict(self))


LAUNCHES = {
    Language.PYTHON: Launch(
        "Python 3.11 or later, from python.org",
        "python3",
        "-c \"import tomllib; print('there')\"",  # a module that Python has since 3.11
        "there",
        "exec python3 bot.py",
        "%RUN% bot.py",
        ("py -3", "python"),
    ),
    Language.JAVASCRIPT: Launch(
        "Node 18 or later, from nodejs.org",
        "node",
        '-p "typeof fetch"',  # a function that Node has since 18
        "function",
        "exec node bot.js",
        "node bot.js",
    ),
    Language.JAVA: Launch(
        "a JDK 17 or later, as from adoptium.net",
        "javac",
        "-version",
        "javac",
        "javac -encoding UTF-8 Bot.java && exec java Bot",
        "javac -encoding UTF-8 Bot.java && java Bot",
    ),
    Language.GO: Launch(
        "Go 1.19 or later, from go.dev, and at its first start the internet for gorilla/websocket",
        "go",
        "version",
        "go",
        "go mod tidy && exec go run .",
        "go mod tidy && go run .",
    ),
    Language.CPP: Launch(
        "g++ with Boost and nlohmann/json; on Windows MSYS2 has them",
        "g++",
        "-print-prog-name=there",  # g++ repeats a name that is unknown
        "there",
        "g++ -std=c++17 -o bot bot.cpp -pthread && exec ./bot",
        "g++ -std=c++17 -o bot.exe bot.cpp -lws2_32 -lmswsock && bot.exe",
    ),
    Language.SHELL: Launch(
        "awk and rumble (pip install botrumble), on Linux or macOS", "rumble", "--version", "rumble", _SHELL_BOT, None
    ),
}
