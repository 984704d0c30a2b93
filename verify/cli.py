"""The command line: `assay COMMAND …`, the same as `python -m verify`.

Bad input, wrong usage included, ends with one line on standard error and exit status 4, and so
does a full disk; an interrupted run ends with 130, one that is told to end with 143. Only the
module of the asked command is imported.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import NoReturn

import verify.commands
from constructions import __version__
from constructions.core.errors import InputError, message_text

ORDER = (
    "run",
    "list",
    "show",
    "findings",
    "cite",
    "tex",
    "automaton",
    "export",
    "precision",
    "sweep",
    "draw",
)
BAD_INPUT = 4
EXTRAS = {"torch": "torch", "safetensors": "torch", "distributed": "dask", "nltk": "nltk"}
LONGEST = 300  # characters of a complaint about usage


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line and have the status of bad input."""

    def error(self, message: str) -> NoReturn:
        """End with the complaint and where help is to be had."""
        line = message.encode("unicode_escape").decode("ascii")
        line = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
        self.exit(BAD_INPUT, f"{self.prog}: {line} (see {self.prog} --help)\n")


class Formatter(argparse.HelpFormatter):
    """Wraps descriptions, and keeps the lines of the examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("examples:") else super()._fill_text(text, width, indent)


def parser(asked: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser with the asked command, or with all of them."""
    whole = Parser(
        prog="assay",
        description="What of 'Simulating Weighted Automata over Sequences and Trees with "
        "Transformers' may be cited, under which conditions, shown how; and a transformer for "
        "your own automaton.",
    )
    whole.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    names = [] if list(asked) == ["--version"] else _modules()
    wanted = [name for name in names if asked and name.strip("_") == asked[0]]
    for name in wanted or names:
        module = importlib.import_module(f"verify.commands.{name}")
        module.add_parser(commands)
        made = commands.choices[name.strip("_")]
        made.epilog, made.formatter_class = module.EXAMPLES, Formatter
    return whole


def _modules() -> list[str]:
    names = [module.name for module in pkgutil.iter_modules(verify.commands.__path__)]
    order = {name: i for i, name in enumerate(ORDER)}
    return sorted(names, key=lambda name: (order.get(name.strip("_"), len(order)), name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices are small: further threads only wait
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be no text
    try:
        with _terminable():
            args = parser(given).parse_args(given)
            status: int = args.func(args)
            sys.stdout.flush()
            return status
    except InputError as error:
        print(f"assay: {error}", file=sys.stderr)
        return BAD_INPUT
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        extra = EXTRAS[error.name]
        print(
            f"assay: {error.name} is not installed; pip install 'assay-wfa[{extra}]'",
            file=sys.stderr,
        )
        return BAD_INPUT
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        print(f"assay: {message_text(error.strerror or str(error))}", file=sys.stderr)
        _discard_output()
        return BAD_INPUT
    except MemoryError:
        print("assay: there is not enough memory for this", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt as error:
        print("assay: interrupted; what was finished is kept", file=sys.stderr)
        return 143 if isinstance(error, Terminated) else 130


class Terminated(KeyboardInterrupt):
    """SIGTERM, as a cancelled job gets it: processes are ended and files cleaned up as by Ctrl-C."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Raise `Terminated` on SIGTERM; Python's own answer would leave the processes of a run behind."""

    def terminated(number: int, frame: object) -> NoReturn:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _discard_output() -> None:
    """What standard output still holds can go nowhere; without this, Python complains at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
