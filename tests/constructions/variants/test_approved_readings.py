"""What the printed formulas give in each of their readings, as it was approved."""

from itertools import permutations, product
from pathlib import Path

import flint
from approved_support import agree_with_approved, plain_data

from constructions.automata.wta import WTA
from constructions.core.exact import Undecided
from constructions.variants.theorem3_printed import (
    DepthReading,
    PrintedHead,
    StepReading,
    contract,
    left_targets,
    parse_layers,
    step_value,
)

APPROVED = Path(__file__).with_suffix(".json")
PLACES = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 4), (4, 1), (3, 7)]


def test_steps_and_scores_are_as_approved():
    with flint.ctx.workprec(96):
        for step in StepReading:
            head = PrintedHead(step=step, terms=2)
            found = [[step_value(i, j, 7, 2, step), head.nearness(i, j, 7)] for i, j in PLACES]
            agree_with_approved(APPROVED, step.name, plain_data(found))


STRINGS = ["a", "[ab]", "[a[bc]]", "[[ab]c]", "[[ab][cd]]", "[a[[bc]d]]"]
LEAVES = WTA.of([1, 0], [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"], "c": [2, "1/3"], "d": [-1, 1]})  # fmt: skip


def targets(head, string):
    try:
        return head.right(string)
    except Undecided as error:
        return str(error)


def test_where_the_heads_look_in_each_reading_is_as_approved():
    found = {}
    for depth, step, terms in product(DepthReading, StepReading, (0, 3)):
        for string, length in product(STRINGS, (None, 12)):
            head = PrintedHead(depth, step, terms, length)
            looks = [head.depths(string), targets(head, string)]
            found[f"{depth}, {step}, {terms}, {string}, {length}"] = str(looks)
    agree_with_approved(APPROVED, "targets", found)
    left = [
        left_targets(i, n, turn) for n in (1, 2, 5) for i in range(1, n + 1) for turn in (1, -1)
    ]
    agree_with_approved(APPROVED, "left", left)


def test_parse_layers_and_contractions_are_as_approved():
    pairs = {
        str(modes): contract(LEAVES, (2, 3), (5, 7), modes) for modes in permutations((1, 2, 3), 2)
    }
    agree_with_approved(APPROVED, "contractions", plain_data(pairs))
    exact = PrintedHead(DepthReading.BEFORE, StepReading.EXACT)
    for string, layers in product(STRINGS, (0, 1, 3)):
        states = parse_layers(LEAVES, string, exact.right(string), layers)
        turned = parse_layers(LEAVES, string, {}, layers, (1, 3))
        agree_with_approved(APPROVED, f"layers: {string}, {layers}", plain_data([states, turned]))
