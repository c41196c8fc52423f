"""The folders from which bots import modules.

Python keeps only one module of each name. But bots of two folders may each import their own `helper`, for example if an
old and a new version of a bot play each other. So imports find the modules of only one folder at a time.
"""

import os
import sys
from pathlib import Path
from types import ModuleType

MODULE_PREFIX = "rumble_function_"
"""Beginning of the names of the modules that are made from bots' files."""


class BotFolders:
    """The folders of bots' files, and the modules that Python has imported from each folder."""

    def __init__(self) -> None:
        self._entered: Path | None = None
        self._modules: dict[Path, dict[str, ModuleType]] = {}
        """The modules of each folder that was left, by the folder and the module's name."""
        self._common: frozenset[str] = frozenset()
        """Names of the modules that were imported before the first folder was entered. They belong to no folder."""

    def enter(self, folder: Path) -> None:
        """Let imports find the modules of `folder`, in place of the modules of the folder that was entered before.

        `folder` is an absolute path without symbolic links.
        """
        if folder == self._entered:
            return
        if self._entered is None:
            self._common = frozenset(sys.modules)
        else:
            self._leave(self._entered)
        sys.path.insert(0, str(folder))
        sys.modules.update(self._modules.get(folder, {}))
        self._entered = folder

    def _leave(self, folder: Path) -> None:
        names = sys.modules.keys() - self._common
        own = {name for name in names if "." not in name and _lies_in(folder, sys.modules[name])}
        self._modules[folder] = {name: sys.modules.pop(name) for name in names if name.partition(".")[0] in own}
        if str(folder) in sys.path:
            sys.path.remove(str(folder))


BOT_FOLDERS = BotFolders()


def _lies_in(folder: Path, module: ModuleType) -> bool:
    """Return true if a module is a bot's file, or is a file or a package directly in `folder`."""
    place = next(iter(getattr(module, "__path__", ())), None) or getattr(module, "__file__", None)
    return getattr(module, "__name__", "").startswith(MODULE_PREFIX) or os.path.dirname(str(place)) == str(folder)
