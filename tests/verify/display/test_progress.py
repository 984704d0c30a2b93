"""A long answer names what it is doing; a short one, or one that is piped, says nothing."""

import io
import time
from fractions import Fraction

from rich.console import Console

from constructions.automata.families import counting
from verify.automaton.report import report
from verify.display.progress import Progress


def shown(delay: float, terminal: bool, estimate: float = 0.0) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal)
    with Progress(console, estimate=estimate, delay=delay) as progress:
        progress("norms of products")
        time.sleep(0.15)
    return file.getvalue()


def test_a_long_stage_is_named_on_a_terminal() -> None:
    assert "norms of products …" in shown(0.01, True)


def test_what_takes_long_says_about_how_long_and_what_does_not_says_nothing_of_it() -> None:
    assert "of about 12 s" in shown(0.01, True, 12.3)
    assert "about" not in shown(0.01, True, 0.5)


def test_a_short_stage_and_a_pipe_stay_silent() -> None:
    assert shown(5, True) == ""
    assert shown(0.01, False) == ""


def test_every_long_part_of_an_answer_is_named() -> None:
    stages: list[str] = []
    report(counting(), 4, Fraction(1, 1000), progress=stages.append)
    assert stages == [
        "norms of products",
        "saturating constant",
        "decoder",
        "runs in floating point",
    ]
