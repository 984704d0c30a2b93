"""The command line: `assay COMMAND …`, the same as `python -m verify`.

Bad input, wrong usage included, ends with one line on standard error and exit status 4, and so
does a full disk; an interrupted run ends with 130, one ended by SIGTERM with 143, a fault of this
program with 70. The status does not depend on whether the output is read. Only the module
of the given command is imported.
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
import traceback
from collections.abc import Iterator, Sequence
from typing import NoReturn

import verify.commands
from constructions import __version__
from constructions.core.errors import InputError
from constructions.core.installing import how_to_install
from verify.display.streams import failure_of, robust_streams
from verify.display.terminal import plain

GROUPS = {
    "to cite the paper": ("cite", "conditions", "tex", "list", "show", "findings"),
    "a model of your automaton": (
        "automaton", "export", "precision", "explain", "sweep", "equal", "zoo", "circuit",
        "score",
    ),
    "to check the theorems": ("run", "recheck", "experiment", "doctor"),
    "another paper": ("new", "lint"),
}  # fmt: skip
BAD_INPUT = 4
UNCONFIRMED = 2
FAULT = 70  # as sysexits.h has it; 1 and 3 are answers of commands
DEBUG = "ASSAY_DEBUG=1 shows where"
KEPT = ("examples:", "exit status")
EXTRAS = {"torch": "torch", "safetensors": "torch", "nltk": "nltk"}
STATUSES = f"""exit status of every command:
  0    success, and the answer is the expected one
  1 2  another answer; `assay COMMAND --help` says which
       (2 too if a record was judged by data that it carries itself, without --about)
  3    broken: a part of this program contradicts itself or crashed
  4    bad input, a missing extra, a full disk, or too little memory; one line says which
  {FAULT}   a fault of this program; {DEBUG}
  130  interrupted; 143 ended by SIGTERM

Piping into a program that stops reading, such as `head`, does not change the status."""
NO_MEMORY = "there is not enough memory for this"
LONGEST = 300  # characters of a complaint about usage


class Parser(argparse.ArgumentParser):
    """A parser that reports errors on one line and exits with the status of bad input."""

    def error(self, message: str) -> NoReturn:
        """Print the error and the command for help, and exit."""
        line = message.encode("unicode_escape").decode("ascii")
        line = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
        self.exit(BAD_INPUT, f"{self.prog}: {line} (see {self.prog} --help)\n")


class Formatter(argparse.HelpFormatter):
    """Wrap descriptions, keep the lines of the examples, and list the commands in their groups."""

    def _format_action(self, action: argparse.Action) -> str:
        if not isinstance(action, argparse._SubParsersAction):
            return super()._format_action(action)
        lines = {each.dest: each for each in action._get_subactions()}
        known = [name for names in GROUPS.values() for name in names]
        parts: list[str] = []
        self._action_max_length += self._indent_increment  # the groups are indented
        for title, names in [*GROUPS.items(), ("other", tuple(set(lines) - set(known)))]:
            if listed := [lines[name] for name in names if name in lines]:
                parts.append("\n" * bool(parts) + f"  {title}\n")
                self._indent()
                parts += [super(Formatter, self)._format_action(line) for line in listed]
                self._dedent()
        return "".join(parts)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(KEPT) else super()._fill_text(text, width, indent)


def parser(given: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser with the given command, or with all of them."""
    whole = Parser(
        prog="assay",
        description="Which statements of 'Simulating Weighted Automata over Sequences and Trees with "
        "Transformers' may be cited, under which conditions, and how each was shown. Also builds a "
        "transformer for your own automaton.",
        epilog=STATUSES,
        formatter_class=Formatter,
    )
    whole.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    names = [] if list(given) == ["--version"] else command_names()
    wanted = [name for name in names if given and name == given[0]]
    for name in wanted or names:
        module = importlib.import_module(f"verify.commands.{name}")
        made = commands.add_parser(
            name,
            help=module.HELP,
            description=getattr(module, "DESCRIPTION", None),
            epilog=module.EXAMPLES,
            formatter_class=Formatter,
        )
        module.arguments(made)
        made.set_defaults(func=module.command)
    return whole


def command_names() -> list[str]:
    """Return the names of all commands, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(verify.commands.__path__))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status, whatever becomes of what it prints."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices are small: further threads only wait
    os.environ["MPLBACKEND"] = "agg"  # figures go to files; no window is opened
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be no text
    with robust_streams() as output:
        status = _run(given)
        sys.stdout.flush()
        failure = failure_of(output)
        if failure is None or isinstance(failure, BrokenPipeError):
            return status
        return _refused(f"standard output: {failure.strerror}", status or BAD_INPUT)


def _run(given: Sequence[str]) -> int:
    """Run a command and return its status; report an error on one line of standard error."""
    try:
        with _terminable():
            if not given:
                parser().print_help()
                return 0
            args = parser(given).parse_args(given)
            status: int = args.func(args)
            if note := getattr(args, "note", ""):  # on where the answer is from
                print(f"assay: {note}", file=sys.stderr)
            own = getattr(args, "carried", False)  # judged by data of the record's own author
            return UNCONFIRMED if own and status == 0 else status
    except InputError as error:
        return _refused(str(error))
    except ImportError as error:
        return _not_imported(error)
    except OSError as error:
        place = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return _refused(plain(f"{place}{error.strerror or error}"))
    except MemoryError:
        return _refused(NO_MEMORY)
    except KeyboardInterrupt as error:
        ended = 143 if isinstance(error, Terminated) else 130
        return _refused("interrupted; what was finished is kept", ended)
    except Exception as error:  # a fault of ours must not look like a verdict
        return _faulty(error)


def _not_imported(error: ImportError) -> int:
    """Report a missing extra, or a library without enough memory; anything else is a fault of ours."""
    if extra := EXTRAS.get(error.name or ""):
        return _refused(f"{error.name} is not installed; {how_to_install(extra)}")
    return _refused(NO_MEMORY) if "map segment" in str(error) else _faulty(error)


def _refused(line: str, status: int = BAD_INPUT) -> int:
    print(f"assay: {line}", file=sys.stderr)
    return status


def _faulty(error: Exception) -> int:
    """Report a fault of this program on one line, and with `ASSAY_DEBUG` its traceback."""
    if os.environ.get("ASSAY_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    what = plain(f"{type(error).__name__}: {error}")
    what = what if len(what) <= LONGEST else f"{what[:LONGEST]}…"
    status = getattr(error, "status", FAULT)  # a contradiction has a status of its own
    return _refused(f"a fault of this program, please report it: {what} ({DEBUG})", status)


class Terminated(KeyboardInterrupt):
    """SIGTERM, as sent to a cancelled job; handled like Ctrl-C: end processes and clean up files."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Raise `Terminated` on SIGTERM; by default Python would leave the worker processes running."""

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
