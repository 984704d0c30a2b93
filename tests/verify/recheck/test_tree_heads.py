"""Where heads look is confirmed by exact angles and intervals; anything else is refused."""

from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import tree_heads
from verify.recheck.errors import Refused
from verify.recheck.kernel.interval import exp
from verify.recheck.kinds import tree_heads as confirming

CASES = [
    Case("tree.left-head", tree_heads.left_head, {"longest": 6}),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "printed", "step": "literal", "terms": [0, 1], "leaves": 3},
    ),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "before", "step": "exact", "terms": [0], "leaves": 3},
    ),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "before", "step": "repaired", "terms": [0, 4], "leaves": 3},
    ),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "before", "step": "scaled", "terms": [1], "leaves": 3},
    ),
    Case(
        "tree.right-heads",
        tree_heads.right_heads,
        {"string": "[a[bc]]", "terms": 2},
        (("terms", 0),),
    ),
    Case("tree.right-heads", tree_heads.right_heads, {"string": "a", "terms": 0}, (("terms", 0),)),
    Case(
        "step.near",
        tree_heads.near_step,
        {"formula": "literal", "lengths": [4], "terms": [0, 3], "within": "1/2"},
    ),
    Case(
        "step.near",
        tree_heads.near_step,
        {"formula": "repaired", "lengths": [4], "terms": [8], "within": "1/4"},
    ),
    Case("step.some-count", tree_heads.some_count, {"most": 2, "longest": 20}, (("most", 0),)),
    Case("step.some-count", tree_heads.some_count, {"most": 4, "longest": 7}, (("most", 0),)),
    Case(
        "score.rank", tree_heads.score_rank, {"pattern": "equal on j ≤ i", "length": 9, "width": 7}
    ),
    Case("score.rank", tree_heads.score_rank, {"pattern": "[j ≥ i+2]", "length": 9, "width": 7}),
    Case(
        "softmax.depths",
        tree_heads.softmax_depths,
        {"leaves": 3, "growths": [64, 1024], "below": "1/100"},
    ),
    Case(
        "softmax.depths",
        tree_heads.softmax_depths,
        {"leaves": 2, "growths": [64], "below": "1/1000000"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tree.right-head", {"depth": "true"}),
        ("tree.right-head", {"step": "none"}),
        ("score.rank", {"pattern": "j > i"}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    case = next(case for case in CASES if case.name == name)
    assert refused(name, {**case.parameters, **change}, **case.stated)


def test_a_number_of_terms_that_stands_twice_is_refused():
    parameters = {"depth": "before", "step": "exact", "terms": [0, 0], "leaves": 2}
    refuses("tree.right-head", parameters, "stands twice")


@pytest.mark.parametrize("attended", [[1], [2, 3], [9]])
def test_a_left_head_that_attends_elsewhere_is_named(attended, monkeypatch):
    """The first position whose head does not attend to the next one, whatever it attends to."""
    right = confirming.tree.nearest_on_circle

    def elsewhere(i, length):
        return attended if (i, length) == (3, 4) else right(i, length)

    monkeypatch.setattr(confirming.tree, "nearest_on_circle", elsewhere)
    found = confirming.left_head({"longest": 5}, {})
    assert (found.holds, found.witness) == (False, {"T": 4, "i": 2, "attended": attended})
    assert confirming.left_head({"longest": 3}, {}).holds


def spied(monkeypatch, name, answers):
    """What a function of trees is asked for; it answers by a table, or with what stands there for None."""
    asked = []

    def answer(*given):
        asked.append(given)
        return norm(*answers[given if given in answers else None])

    monkeypatch.setattr(confirming.tree, name, answer)
    return asked


def norm(low, high):
    return Fraction(low), Fraction(high)


def test_a_right_child_is_compared_with_the_left_one_and_with_the_token_after_it(monkeypatch):
    children = {(0, 2, 4, 3, "repaired"), (0, 2, 7, 3, "repaired"), (0, 5, 7, 3, "repaired")}
    asked = spied(monkeypatch, "near", {None: (0, 1), **dict.fromkeys(children, (2, 3))})
    assert confirming._first_failure(3, 9) is None
    assert [(j, length) for _, j, length, _, _ in asked] == [
        (2, 4), (1, 4), (3, 4), (2, 7), (1, 7), (3, 7), (5, 7), (1, 7), (6, 7)
    ]  # fmt: skip
    assert {(i, *rest) for i, _, _, *rest in asked} == {(0, 3, "repaired")}


@pytest.mark.parametrize(
    ("rival", "found"),
    [((1, "199/100"), None), ((1, 2), "overlap"), ((3, 4), "overlap"), (("301/100", 4), 7)],
)
@pytest.mark.parametrize("place", [1, 6])
def test_a_rival_is_certainly_behind_or_certainly_ahead(rival, found, place, monkeypatch):
    children = dict.fromkeys([(0, 2, 4, 3, "repaired"), (0, 2, 7, 3, "repaired")], (2, 3))
    answers = {None: (0, 1), **children, (0, 5, 7, 3, "repaired"): (2, 3),
               (0, place, 7, 3, "repaired"): rival}  # fmt: skip
    spied(monkeypatch, "near", answers)
    if found == "overlap":
        with pytest.raises(Refused, match=rf"T = 7, offsets [25], {place}: intervals overlap"):
            confirming._first_failure(3, 7)
    else:
        assert confirming._first_failure(3, 7) == found
        assert confirming._first_failure(3, 6) is None


def test_some_number_of_terms_never_fails_or_each_has_a_length(monkeypatch):
    lengths = {0: 4, 1: 10, 2: None, 3: None}
    monkeypatch.setattr(
        confirming, "_first_failure", lambda k, longest: lengths[k] if longest == 20 else 0
    )
    answer = confirming.some_count({"most": 3, "longest": 20}, {})
    assert (answer.holds, answer.values) == (True, {"k": 2})
    answer = confirming.some_count({"most": 1, "longest": 20}, {})
    curve = {"label": "k fails at T", "x": ["4", "10"], "y": ["0", "1"]}
    assert (answer.holds, answer.values) == (False, {"fails": [curve]})
    assert answer.witness == {"k": [0, 1], "T": [4, 10]}


@pytest.mark.parametrize(
    ("interval", "far"),
    [((-1, "-26/100"), True), ((-1, "-1/4"), None), (("-1/4", 0), None), (("-24/100", "24/100"), False),
     ((0, "1/4"), None), (("1/4", 1), None), (("26/100", 1), True)],
)  # fmt: skip
@pytest.mark.parametrize("offset", [-2, 0, 1, 2])
def test_a_sum_is_far_from_the_step_near_to_it_or_undecided(interval, far, offset, monkeypatch):
    """From the third token on the step is 1; near is less than 1/4 away."""
    step = int(offset == 2)
    right = {(0, m, 3, 5, "exact"): (int(m == 2),) * 2 for m in range(-2, 3)}
    moved = tuple(Fraction(end) + step for end in interval)
    asked = spied(monkeypatch, "step", {**right, (0, offset, 3, 5, "exact"): moved})
    if far is None:
        with pytest.raises(Refused, match=f"T = 3, offset {offset}: intervals do not decide"):
            confirming._far("exact", 3, 5, Fraction(1, 4))
    else:
        assert confirming._far("exact", 3, 5, Fraction(1, 4)) == ({offset} if far else set())
        assert asked == list(right)


@pytest.mark.parametrize(
    ("far", "offset", "step"),
    [({-1, 5}, 5, 1), ({3, 1}, 3, 1), ({2, 0}, 2, 1), ({1, 7}, 1, 0), ({0, -1}, 0, 0)],
)
def test_the_offset_nearest_to_the_step_is_named(far, offset, step, monkeypatch):
    sets = {("exact", 4, 0, Fraction(1, 3)): {3}, ("exact", 4, 2, Fraction(1, 3)): set()}
    sets |= {("exact", 6, k, Fraction(1, 3)): {*far, 10 + k} for k in (0, 2)}
    monkeypatch.setattr(confirming, "_far", lambda *asked: sets[asked])
    asked = {"formula": "exact", "terms": [0, 2], "within": "1/3"}
    answer = confirming.near_step({**asked, "lengths": [4, 6]}, {})
    assert (answer.holds, answer.witness) == (False, {"T": 6, "offset": offset, "step": step})
    answer = confirming.near_step({**asked, "lengths": [4]}, {})
    assert (answer.holds, answer.values) == (True, {"offsets": 7})
    sets["exact", 6, 0, Fraction(1, 3)] = {12}
    sets["exact", 6, 2, Fraction(1, 3)] = {13}
    assert confirming.near_step({**asked, "lengths": [6]}, {}).holds is None
    sets["exact", 6, 0, Fraction(1, 3)] = set()
    assert confirming.near_step({**asked, "lengths": [4, 6]}, {}).values == {"offsets": 7 + 11}


@pytest.mark.parametrize(
    ("rows", "rank"),
    [([[0, 2, 4], [0, 1, 2], [3, 0, 1]], 2), ([[0, 0], [0, 0]], 0), ([[0, 1], [1, 0]], 2),
     ([[1, 2], [2, 4], [3, 6]], 1), ([[1, 2, 3], [1, 2, 4]], 2), ([[2, 1], [1, 2], [5, 4]], 2),
     ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2), ([[1, 2, 3], [4, 5, 6], [7, 8, 10]], 3)],
)  # fmt: skip
def test_ranks_of_small_matrices_are_known(rows, rank):
    assert confirming.eliminated([list(map(Fraction, row)) for row in rows]) == rank


@pytest.mark.parametrize(("pattern", "rank"), [("[j ≥ i+2]", 3), ("equal on j ≤ i", 4)])
def test_a_pattern_of_five_tokens_has_its_rank_and_needs_as_many_columns(pattern, rank):
    for width, holds in ((rank, True), (rank - 1, False)):
        answer = confirming.score_rank({"pattern": pattern, "length": 5, "width": width}, {})
        shown = {"T": 5, "rank": rank, "columns": width}
        assert (answer.holds, answer.values) == (holds, shown)
        assert answer.witness == (None if holds else shown)


def test_a_head_looks_at_the_candidate_that_is_certainly_ahead(monkeypatch):
    tokens = list("[ab]")
    monkeypatch.setattr(confirming.tree, "running", lambda i, depths: [2, 3, 4] if i == 1 else [])
    answers = {(1, 2, 4, 7, "exact"): (0, 1), (1, 3, 4, 7, "exact"): (2, 3),
               (1, 4, 4, 7, "exact"): (1, "199/100")}  # fmt: skip
    spied(monkeypatch, "near", answers)
    assert confirming.attended(1, tokens, "before", "exact", 7) == 3
    answers[1, 4, 4, 7, "exact"] = (1, 2)
    with pytest.raises(Refused, match=r"\[ab\], position 1: intervals do not decide"):
        confirming.attended(1, tokens, "before", "exact", 7)


def test_a_tree_of_forty_tokens_is_still_drawn(monkeypatch):
    string = "[a" * 13 + "a" + "]" * 13
    drawn = {"arcs": [(1, 5), (3, 9)], "missed": [3, 5]}
    asked = []
    monkeypatch.setattr(confirming, "_arcs", lambda *given: asked.append(given) or drawn)
    answer = confirming.right_heads({"string": string, "terms": 2}, {})
    child = {1 + 2 * k: 3 + 2 * k for k in range(13)}
    assert asked[0] == ("right head as printed", list(string), child, "printed", "literal", 2)
    assert asked[1] == ("right head as repaired", list(string), child, "before", "exact", 0)
    assert answer.witness == {"string": string, "position": 3, "child": 5, "looks": 9}
    refuses("tree.right-heads", {"string": string + "]", "terms": 2}, "at most 40 tokens")


def test_weights_of_earlier_tokens_and_of_all_later_ones():
    assert confirming._beside(64, 1) == exp(Fraction(-1, 64), 120)
    assert confirming._beside(70, 3) == exp(Fraction(-1, 70**5), 120)
    assert confirming._faint() == exp(Fraction(-64), 120)[1]


def weighed(monkeypatch, faint):
    weights = {(9, 2): norm("1/4", "1/2"), (9, 1): norm("1/3", "2/3")}
    monkeypatch.setattr(confirming, "_beside", lambda *asked: weights[asked])
    monkeypatch.setattr(confirming, "_faint", lambda: Fraction(faint))


def test_the_mean_of_markers_is_least_and_most_at_ends_of_its_weights(monkeypatch):
    """From token 3 of four: 1/4 - 2/3 to 1/2 - 1/3 over 7/12 to 7/6; two later tokens of 1/24 each."""
    weighed(monkeypatch, "1/24")
    found = confirming._depth(9, [1, -1, 5, 7], 3)
    assert found == (2 * Fraction(-1, 2) / Fraction(7, 12), 2 * Fraction(1, 4) / Fraction(7, 12))
    found = confirming._depth(9, [2, 1, 5, 7], 3)
    assert found == (2 * Fraction(3, 4) / Fraction(5, 4), 2 * Fraction(7, 4) / Fraction(7, 12))


@pytest.mark.parametrize(
    ("moved", "least", "most"),
    [((0, 0), 0, "1/2"), (("-1/3", "2/3"), 0, "7/6"), (("3/2", 2), 1, "5/2"), ((-3, -2), "3/2", "7/2"),
     ((-4, "1/9"), 0, "9/2"), ((0, "1/9"), 0, "11/18"), (("-1/9", 0), 0, "11/18")],
)  # fmt: skip
@pytest.mark.parametrize("at", [2, 3, 4])
def test_the_error_of_a_depth_is_the_farthest_end_and_a_blur(moved, least, most, at, monkeypatch):
    """[ab] has depths 0, 1, 1, 1 before its tokens; the blur is 2 · 4² · 1/64."""
    monkeypatch.setattr(confirming, "_faint", lambda: Fraction(1, 64))
    low, high = norm(*moved)
    monkeypatch.setattr(
        confirming, "_depth", lambda growth, m, i: (1 + low, 1 + high) if i == at else norm(1, 1)
    )
    assert confirming.tree.before_depths(list("[ab]")) == [0, 1, 1, 1]
    assert confirming._error(9, ("a", "b")) == norm(least, most)


def test_the_largest_error_of_all_trees_is_rounded_up_at_the_twelfth_digit(monkeypatch):
    unit = Fraction(1, 10**12)
    errors = {"a": (0, 7 * unit), "b": (6 * unit + unit / 9, unit), "c": (unit, unit)}
    monkeypatch.setattr(
        confirming, "_error", lambda growth, shape: errors[shape] if growth == 9 else None
    )
    assert confirming._rounded(9, ["a", "b", "c"]) == 7 * unit
    errors["c"] = (unit, 7 * unit + unit / 9)
    with pytest.raises(Refused, match="M = 9: intervals do not decide the twelfth digit"):
        confirming._rounded(9, ["a", "b", "c"])


@pytest.mark.parametrize(
    ("errors", "holds"), [(("1/3", "1/4"), True), (("1/3", "1/3"), False), (("1/3", "26/100"), False),
                          (("1/5", "1/4"), False)],
)  # fmt: skip
def test_errors_fall_as_the_growth_grows_to_at_most_what_is_allowed(errors, holds, monkeypatch):
    found = dict(zip((64, 128), map(Fraction, errors), strict=True))
    monkeypatch.setattr(
        confirming, "_rounded", lambda growth, shapes: found[growth] if len(shapes) == 4 else None
    )
    answer = confirming.softmax_depths({"leaves": 3, "growths": [64, 128], "below": "1/4"}, {})
    shown = {"errors": [str(Fraction(error)) for error in errors]}
    assert (answer.holds, answer.values) == (holds, shown)
    assert answer.witness == (None if holds else shown)
