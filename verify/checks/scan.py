"""Appendix A.1 and the remarks on it: the scan over words of a free monoid, as printed and mended.

Claims        scan.* but for what is textual, and sim.scan, sim.partial-sums
Roads         words of a free monoid, so that a result holds for every monoid; multisets for
              commutative operators; the induction step with symbols for all lengths at once
Notation      an element is the tuple of the indices it is made of; None was never assigned
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import sympy

from constructions import scan
from constructions.scan import PRINTED, REPAIRED, Order, Rules
from verify.check import Job, check
from verify.checks.statements import (
    CHARITABLE,
    EXACT,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.checks.statements import REPAIRED as MENDED
from verify.claims.model import Name
from verify.evidence import Evidence, Plain

Word = tuple[int, ...]
Row = Sequence[Word | None]
ALL = "every monoid, {} inputs; all lengths by the induction step on windows"
LONGEST = 128


def joined(left: Word, right: Word) -> Word:
    """Concatenation: the free monoid."""
    return left + right


def merged(left: Word, right: Word) -> Word:
    """Union of multisets: the free commutative monoid."""
    return tuple(sorted(left + right))


def wanted(last: int) -> list[Word]:
    """The running products of x_0 … x_n."""
    return [tuple(range(j + 1)) for j in range(last + 1)]


def letters(last: int) -> list[Word]:
    """x_0 … x_n."""
    return [(j,) for j in range(last + 1)]


def by_rules(rules: Rules, combine: Callable[[Word, Word], Word]) -> Callable[[int], Row]:
    """The outputs of the pseudocode for inputs x_0 … x_n."""
    return lambda last: scan.scan(letters(last), combine, rules)


def after_log(last: int) -> Row:
    """The repaired rounds, ⌊log₂ n⌋ of them."""
    *_, row = scan.steps(letters(last), joined, REPAIRED, last.bit_length() - 1)
    return row


def upwards(last: int) -> Row:
    """In place, j ascending."""
    return scan.in_place(letters(last), joined, Order.ASCENDING)


def downwards(last: int) -> Row:
    """In place, j descending."""
    return scan.in_place(letters(last), joined, Order.DESCENDING)


RULES: dict[str, Callable[[int], Row]] = {
    "printed": by_rules(PRINTED, joined),
    "printed-commutative": by_rules(PRINTED, merged),
    "printed-order": by_rules(Rules(reaches_last=True, earlier_first=False), joined),
    "log-rounds": after_log,
    "ascending": upwards,
    "repaired": by_rules(REPAIRED, joined),
    "commutative": by_rules(Rules(reaches_last=True, earlier_first=False), merged),
    "descending": downwards,
}


def smallest(rule: str, up_to: int = 16) -> int | None:
    """The least n ≥ 1 for which the outputs are not the running products."""
    run = RULES[rule]
    return next((n for n in range(1, up_to) if list(run(n)) != wanted(n)), None)


def counterexample(rule: str, last: int) -> dict[str, Plain]:
    """What the rule leaves for x_0 … x_n."""
    found = [None if item is None else list(item) for item in RULES[rule](last)]
    return {"kind": "scan.wrong", "rule": rule, "last": last, "found": found}


def shown(row: Row) -> str:
    """Outputs as words over a, b, c, …; a dash where nothing is assigned."""
    words = ["".join(chr(97 + k) for k in item) if item is not None else "–" for item in row]
    return ", ".join(words)


def fails(
    claim: str, rule: str, why: str, reading: Name = Name.LITERAL, repair: str = ""
) -> Evidence:
    """Evidence from the smallest input on which a rule errs."""
    last = smallest(rule)
    n = last if last is not None else 1
    text = f"n = {n}: from {shown(letters(n))} it leaves {shown(RULES[rule](n))}, {why}."
    body = counterexample(rule, n)
    return refuted(claim, last is not None, f"n = {n}", text, body, reading=reading, repair=repair)


def right(rule: str, longest: int = LONGEST) -> str | None:
    """Why the outputs are not the running products for some number of inputs up to `longest`."""
    run = RULES[rule]
    wrong = next((n for n in range(longest) if list(run(n)) != wanted(n)), None)
    return None if wrong is None else f"n = {wrong}: {shown(run(wrong))}"


def certificate(rule: str, longest: int = LONGEST) -> dict[str, Plain]:
    """For how many inputs a rule was seen right, with the number of combinations it made."""
    total = sum(scan.combinations(n) for n in range(longest))
    return {"kind": "scan.right", "rule": rule, "longest": longest, "combinations": total}


def window_step_problem() -> str | None:
    """The induction step: two windows 2^i apart join without gap, into the doubled window."""
    j, p = sympy.symbols("j p", integer=True, positive=True)
    near = sympy.Symbol("s", integer=True, nonnegative=True)
    shifted = {j: p + near}
    left_end, right_start = (j - p).subs(shifted), sympy.Max(0, j + 1 - p).subs(shifted)
    if sympy.simplify(left_end + 1 - right_start) != 0:
        return "the two windows do not touch"
    left_start = sympy.Max(0, (j - p) + 1 - p).subs(shifted)
    doubled = sympy.Max(0, j + 1 - 2 * p).subs(shifted)
    if sympy.simplify(left_start - doubled) != 0:
        return "the joined window is not the doubled one"
    below = sympy.Max(0, (p - 1 - near) + 1 - p)
    return None if below == 0 else "a position below 2^i is not finished"


@check(
    "scan.pseudocode",
    "scan.output",
    "scan.range",
    "scan.order",
    "scan.associative",
    "scan.log-times",
    "scan.in-place",
    "scan.space",
)
def the_print_run_on_words(job: Job) -> Iterator[Evidence]:
    """Run the pseudocode as printed on words, and give the smallest input on which it errs."""
    last = "the last position is never assigned"
    mend = "Let j run to n and take x_{j-2^i} ⊕ x_j."
    yield fails("scan.pseudocode", "printed", last, repair=mend)
    yield fails("scan.pseudocode", "printed-commutative", last, CHARITABLE, mend)
    yield fails("scan.output", "printed", last, repair=mend)
    yield fails("scan.range", "printed", last, repair="Let j run from 0 to n.")
    order = "the later block stands first"
    yield fails("scan.order", "printed-order", order, repair="Take x_{j-2^i} ⊕ x_j.")
    yield fails("scan.associative", "printed-order", "concatenation in reversed order")
    yield fails("scan.log-times", "log-rounds", "after ⌊log₂ n⌋ rounds x_0 has not arrived")
    again = "a value that is still needed has been overwritten"
    yield fails("scan.in-place", "ascending", again, repair="Let j run downwards.")
    yield fails("scan.space", "ascending", f"without a second array {again}")


@check(
    "scan.pseudocode",
    "scan.output",
    "scan.range",
    "scan.order",
    "scan.associative",
    "scan.log-times",
    "scan.in-place",
    "scan.space",
    "scan.keep",
    "scan.invariant",
    "sim.partial-sums",
)
def the_mended_scan_on_words(job: Job) -> Iterator[Evidence]:
    """Run the mended scan on words of every length up to 128, and prove the step for all."""
    longest = 4 * LONGEST if job.full else LONGEST
    summary = (
        f"For 1 to {longest} inputs every output is the running product, letter by letter; after i "
        "rounds position j holds the last 2^i letters up to j, and two such windows 2^i apart join."
    )
    for rule, pairs in (
        (
            "repaired",
            (
                ("scan.pseudocode", MENDED),
                ("scan.output", MENDED),
                ("scan.range", MENDED),
                ("scan.order", MENDED),
                ("scan.associative", CHARITABLE),
                ("scan.log-times", MENDED),
                ("scan.keep", Name.LITERAL),
                ("scan.invariant", Name.LITERAL),
                ("scan.invariant", CHARITABLE),
                ("sim.partial-sums", Name.LITERAL),
            ),
        ),
        ("commutative", (("scan.order", CHARITABLE),)),
        ("descending", (("scan.in-place", MENDED), ("scan.space", CHARITABLE))),
    ):
        problem = first((right(rule, longest), windows_problem(longest), window_step_problem()))
        for claim, reading in pairs:
            yield holds(
                claim,
                problem,
                EXACT,
                ALL.format(f"1 to {longest}"),
                summary,
                certificate(rule, longest),
                reading=reading,
                engine="words of a free monoid",
                limits="The print's own loops are judged in the literal reading.",
            )


def windows_problem(longest: int, rules: Rules = REPAIRED) -> str | None:
    """Why a position does not hold its window after some round, for the longest input."""
    last = longest - 1
    for done, row in enumerate(scan.steps(letters(last), joined, rules, scan.rounds(last))):
        for j, item in enumerate(row):
            if item != tuple(scan.window(j, done)):
                return f"after {done} rounds position {j} holds another window"
    return None


@check("scan.rounds")
def how_many_rounds(job: Job) -> Iterator[Evidence]:
    """Compare ⌊log₂ n⌋ + 1 with the least number of rounds whose windows reach x_0."""
    largest = 65536 if job.full else 4096
    text = "n = 0, one input: log₂ 0 is not defined; no round is needed."
    body: dict[str, Plain] = {"kind": "scan.zero", "last": 0}
    undefined = not _defined(0)
    yield refuted("scan.rounds", undefined, "n = 0", text, body, repair="Ask for n ≥ 1.")
    problem = first(rounds_problem(n) for n in range(1, largest + 1))
    total = sum(scan.printed_rounds(n) for n in range(1, largest + 1))
    yield holds(
        "scan.rounds",
        problem,
        EXACT,
        f"n = 1 … {largest}; all n, since 2^(k-1) ≤ n < 2^k for k = ⌊log₂ n⌋ + 1",
        "⌊log₂ n⌋ + 1 = ⌈log₂ (n+1)⌉ rounds are enough and one fewer is not.",
        {"kind": "scan.rounds", "largest": largest, "total": total},
        reading=CHARITABLE,
    )


def _defined(last: int) -> bool:
    try:
        return scan.printed_rounds(last) >= 0
    except ValueError:
        return False


def rounds_problem(last: int) -> str | None:
    """Why the printed number of rounds is not the least one for x_0 … x_n."""
    count = scan.printed_rounds(last)
    enough = scan.window(last, count).start == 0
    fewer = scan.window(last, count - 1).start == 0
    return None if enough and not fewer else f"n = {last}: {count} rounds"


@check("scan.runtime", "sim.scan")
def how_many_combinations(job: Job) -> Iterator[Evidence]:
    """Count the combinations of the scan and sum them with symbols."""
    table: list[Plain] = [[k, scan.combinations(2**k - 1)] for k in range(1, 11)]
    problem = count_problem()
    body: dict[str, Plain] = {"kind": "scan.operations", "powers": table}
    yield holds(
        "scan.runtime",
        problem,
        SYMBOLIC,
        "all n",
        "K = ⌊log₂ n⌋ + 1 rounds make Σ (n + 1 - 2^i) = K(n + 1) - 2^K + 1 combinations, between "
        "n log₂ n - n and (n + 1)(log₂ n + 1); counted for 2 to 1024 inputs.",
        body,
        engine="SymPy",
    )
    yield refuted(
        "sim.scan",
        problem is None,
        "T = 2^k",
        "T = 64: 321 combinations, and T log₂ T - T + 1 in general; one after the other this is no "
        "O(log T), and T outputs alone take T steps.",
        body,
        repair="Say O(log T) rounds on T processors.",
    )
    rounds = [scan.rounds(t - 1) == (t - 1).bit_length() for t in range(1, LONGEST + 1)]
    yield holds(
        "sim.scan",
        first((right("repaired"), None if all(rounds) else "another number of rounds")),
        EXACT,
        ALL.format(f"1 to {LONGEST}"),
        "⌈log₂ T⌉ rounds give all T prefixes; the combinations of one round do not need each other.",
        certificate("repaired"),
        reading=CHARITABLE,
    )


def count_problem(largest: int = 1024) -> str | None:
    """Why the number of combinations is not K(n + 1) - 2^K + 1."""
    i, k, n = sympy.symbols("i K n", integer=True, positive=True)
    summed = sympy.summation(n + 1 - 2**i, (i, 0, k - 1))
    if sympy.simplify(summed - (k * (n + 1) - 2**k + 1)) != 0:
        return "the sum over rounds is another"
    for last in range(1, largest):
        rounds = scan.rounds(last)
        if scan.combinations(last) != rounds * (last + 1) - 2**rounds + 1:
            return f"n = {last}: another number of combinations"
    return None
