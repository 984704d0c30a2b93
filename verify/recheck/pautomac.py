"""Re-checks what is said of the PAutomaC automata, from the facts in the certificate.

`pautomac.descriptors`    facts of automata against Table 1; which of them differ
`pautomac.probabilities`  bounds on relative errors, all within what is allowed
`pautomac.softmax`        the floor under the error of a softmax readout, against the printed error
`pautomac.scan`           doubling shifts on a circle of 2T tokens bring x_1 … x_t to position t

The model files are not part of a certificate: their digests say which files were read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.tables import TABLE1, TABLE2, rows, units

Body = Mapping[str, Any]
PRINTED = {row[0]: row[1:] for row in rows(TABLE1)}
LEAST = {p: min(cells, key=units).lstrip("*") for p, *cells in rows(TABLE2)}
FACTS = {"problem", "states", "alphabet", "type", "present", "sha256"}
HEX = set("0123456789abcdef")


def descriptors(body: Body) -> str:
    """Which automata differ from Table 1 in one descriptor."""
    only(body, {"kind", "what", "differs", "problems"})
    what, facts = text(body, "what"), sequence(body, "problems")
    judge = JUDGES.get(what)
    if judge is None:
        raise Refused(f"descriptor {what!r} is not known")
    found = []
    for item in facts:
        _well_formed(item)
        if not judge(item, PRINTED[item["problem"]]):
            found.append(item["problem"])
    agree("differs", body["differs"], found)
    return f"{what} of {len(facts)} automata; different from print: {', '.join(found) or 'none'}"


def _well_formed(item: Any) -> None:
    if not isinstance(item, dict):
        raise Refused("an automaton is not an object")
    only(item, FACTS)
    if text(item, "problem") not in PRINTED:
        raise Refused(f"automaton {item['problem']!r} is not in Table 1")
    pairs = integer(item, "states", 1) * integer(item, "alphabet", 1)
    if integer(item, "present", 1) > pairs:
        raise Refused(f"{item['present']} of {pairs} pairs are present")
    if text(item, "type") not in ("PFA", "HMM", "DPFA"):
        raise Refused(f"type {item['type']!r} is not known")
    if len(text(item, "sha256")) != 64 or set(item["sha256"]) - HEX:
        raise Refused("a digest is not a SHA-256")


def _share(item: Body) -> Fraction:
    return Fraction(item["present"], item["states"] * item["alphabet"])


def _rounds(item: Body, printed: str) -> bool:
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return abs(_share(item) - Fraction(printed)) <= half


JUDGES: dict[str, Callable[[Body, list[str]], bool]] = {
    "states": lambda item, row: str(item["states"]) == row[0],
    "alphabet": lambda item, row: str(item["alphabet"]) == row[1],
    "type": lambda item, row: bool(item["type"] == row[2]),
    "sparsity": lambda item, row: _rounds(item, row[3]),
    "share": lambda item, row: abs(_share(item) - Fraction(row[3])) < Fraction(1, 10**4),
    "deterministic": lambda item, row: bool(item["type"] != "DPFA"),
}


def probabilities(body: Body) -> str:
    """All bounds on relative errors are within what is allowed."""
    only(body, {"kind", "allowed", "errors"})
    allowed = fraction(body["allowed"])
    agree("allowed", allowed, Fraction(1, 10**9))
    errors = body["errors"]
    if not isinstance(errors, dict) or not errors or set(errors) - set(PRINTED):
        raise Refused("field 'errors': expected automata of Table 1")
    worst = max(fraction(error) for error in errors.values())
    if not 0 <= worst <= allowed:
        raise Refused(f"an error of {worst} is more than {allowed}")
    return f"{len(errors)} automata, relative errors at most {float(worst):.2g}"


def softmax(body: Body) -> str:
    """The floor of each automaton, and whether it excludes the printed error."""
    only(body, {"kind", "length", "cases"})
    length = integer(body, "length", 1)
    agree("length", length, 64)
    excluded = 0
    for case in sequence(body, "cases"):
        only(case, {"problem", "states", "largest", "printed", "excluded", "nonnegative"})
        agree("nonnegative", case["nonnegative"], True)
        agree("states", str(integer(case, "states", 1)), PRINTED[text(case, "problem")][0])
        agree("printed", text(case, "printed"), LEAST[case["problem"]])
        agree("excluded", case["excluded"], _excluded(case, length))
        excluded += case["excluded"]
    return f"a softmax cannot reach the printed error on the states of {excluded} automata"


def _excluded(case: Body, length: int) -> bool:
    ratio, power, total = fraction(case["largest"]), Fraction(1), Fraction(0)
    if not 0 <= ratio <= 1:
        raise Refused(f"largest row {ratio} is no probability")
    for _ in range(length):
        total += (1 - power) ** 2
        power *= ratio
    half = Fraction(1, 2 * 10 ** len(case["printed"].partition(".")[2]))
    floor = total / (length * int(case["states"]) ** 2)
    return floor > Fraction(case["printed"]) + half


def scan(body: Body) -> str:
    """After the layers position t holds x_1 … x_t, for all t up to the length."""
    only(body, {"kind", "length", "layers", "problems"})
    length, layers = integer(body, "length", 1), integer(body, "layers", 0)
    if length > 256 or layers > 8:
        raise Refused("expected a length up to 256")
    agree("layers", layers, (length - 1).bit_length())
    for problem, states in body["problems"].items():
        agree(f"states of {problem}", str(states), PRINTED.get(problem, [""])[0])
    half = 1 << layers
    tokens: dict[int, tuple[int, ...]]
    tokens = {t: (t,) if 1 <= t <= length else () for t in range(-half + 1, half + 1)}
    for layer in range(layers):
        shift = 1 << layer
        tokens = {t: tokens[_turn(t - shift, half)] + tokens[t] for t in tokens}
    for t in range(length + 1):
        agree(f"position {t}", tokens[t], tuple(range(1, t + 1)))
    return f"{layers} layers give every prefix product up to length {length}"


def _turn(t: int, half: int) -> int:
    """The position on the circle -half + 1 … half."""
    return (t + half - 1) % (2 * half) - half + 1


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "pautomac.descriptors": descriptors,
    "pautomac.probabilities": probabilities,
    "pautomac.softmax": softmax,
    "pautomac.scan": scan,
}
