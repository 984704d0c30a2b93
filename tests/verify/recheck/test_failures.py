"""Checks of the re-checker that true statements always pass, each seen to fail and to name where.

What a check rests on is replaced by something that is wrong at one place: whatever was stated, the answer
is then a failure with its witness, or a refusal, and right up to that place.
"""

from fractions import Fraction

import pytest
from facts_support import refuses

from verify.recheck.errors import Recomputed, Refused
from verify.recheck.kinds import (
    algebra,
    budget,
    counting,
    decoders,
    pebbling,
    pseudocode,
    saturation,
    sequence_sizes,
    sequences,
    soft_attention,
    statistics,
    sympy_proofs,
    tables,
    training,
    tree_heads,
    tree_states,
    units,
)
from verify.recheck.kinds import logdepth as machines

NOTHING = {"values": {}, "witness": None}
HALF = Fraction(1, 2)


def failing_at(function, place, wrong):
    """A function that is right except at some arguments."""
    return lambda *given: wrong if given == place else function(*given)


def test_an_answer_that_holds_has_no_witness_of_its_failure():
    with pytest.raises(Refused, match="holds, with a witness"):
        Recomputed(True, {}, {"n": 7})
    assert (
        Recomputed(None, {}, {"n": 7}).witness
        == Recomputed(False, {}, {"n": 7}).witness
        == {"n": 7}
    )


@pytest.mark.parametrize(
    ("text", "because"),
    [("(A_{n×2} ; )", "a row without blocks"), ("(B_n×2)", "expected a block"),
     ("A", "expected a matrix")],
)  # fmt: skip
def test_matrices_that_are_none_are_refused(text, because):
    refuses("shape.product", {"factors": [text], "result": ["n", "n"]}, because)


def test_a_count_is_expanded_by_every_operation():
    read = algebra.formula.read
    assert algebra.expanded(read("(n + 2)² - 3n")) == {0: 4, 1: 1, 2: 1}
    assert algebra.expanded(read("C(n, 2)")) == {1: -HALF, 2: HALF}
    assert algebra.expanded(("?", read("n"), 3)) == {
        1: Fraction(1, 3), 2: -HALF, 3: Fraction(1, 6)
    }  # fmt: skip
    with pytest.raises(Refused, match="not understood"):
        algebra.expanded(("number",))


def test_a_bound_that_neither_differences_nor_values_decide_is_refused(monkeypatch):
    monkeypatch.setattr(algebra.formula, "differences", lambda *_: [-1])
    refuses("size.at-most", {"size": "n", "bound": "n"}, "first thousand values")
    answer = algebra.at_most({"size": "n²", "bound": "n + 998999"}, NOTHING)
    assert (answer.holds, answer.witness["n"]) == (False, 1000)
    refuses("size.at-most", {"size": "n²", "bound": "n + 999000"}, "first thousand values")


@pytest.mark.parametrize(("counted", "symbols"), [(1, 1), (1, 3), (3, 3)])
def test_the_matrix_of_a_letter_counts_it_and_no_other(counted, symbols):
    assert counting._counts(counted, symbols)


def test_a_weight_is_enclosed_by_its_exponential_or_by_next_to_nothing():
    low, high = counting._weight(1, 149)
    assert 0 < low < high < Fraction(1, 1 << 200)
    assert counting._weight(1, 150) == (0, Fraction(1, 1 << 200))
    assert (
        counting._weight(0, 9)[0]
        <= Fraction("0.367879441171442322")
        <= counting._weight(0, 9)[1] + Fraction(1, 10**17)
    )


def test_positions_that_hold_something_else_are_refused(monkeypatch):
    monkeypatch.setattr(decoders, "stream", failing_at(decoders.stream, (1,), [{}, {}]))
    refuses("decoder.words", {"most": 4}, "T = 1: position 1 holds something else")
    refuses("decoder.states", {"states": [1], "lengths": [2, 1]}, "T = 1")
    assert decoders.states({"states": [1], "lengths": [2, 3]}, NOTHING).holds


def test_a_decoder_without_a_constant_keeps_nothing():
    windows = decoders.Windows.of(decoders.AUTOMATA["counting"], 4)
    assert windows.states(Fraction(0)) == windows.states(Fraction(-1)) == (1, 1)
    low, high = windows.states(Fraction(9))
    assert 0 < low <= high < Fraction(1, 10)


def test_a_circle_that_grows_less_than_the_square_is_refused(monkeypatch):
    for name in ("_least_on_circle", "_least_of_decoder"):
        monkeypatch.setattr(decoders, name, lambda *_: None)
    asked = {"automaton": "counting", "eps": "1/100", "lengths": [4, 8]}

    def curves(first, second):
        drawn = [{"y": [first, second]}, {"y": ["1.000", "1.000"]}]
        return decoders.needed(asked, {"values": {"curves": drawn}})

    assert curves("1.000", "4.000").holds and curves("1.000", "3.996").holds
    with pytest.raises(Refused, match="from 4 to 8 the circle grows less"):
        curves("1.000", "3.995")


def vectors(vector):
    """The same vector for every letter."""
    return dict.fromkeys("abcd", vector)


@pytest.mark.parametrize(
    ("letters", "tensor"),
    [({"a": [1]}, [[[1]]]), (vectors([1, 1]), [[[1]]]),
     (vectors([1]), [[[1], [1]]]), (vectors([1]), [[[1, 1]]])],
)  # fmt: skip
def test_machines_of_another_shape_are_refused(letters, tensor):
    with pytest.raises(Refused, match="expected 1 weights a row"):
        machines.Machine(tensor, letters)
    assert machines.Machine([[[1]]], vectors([1])).combine([2], [3]) == [6]


def test_a_comb_that_takes_other_steps_is_named(monkeypatch):
    right = pebbling.comb_steps
    assert [right(n) for n in range(1, 9)] == [0, 1, 2, 3, 3, 4, 4, 4]
    monkeypatch.setattr(pebbling, "comb_steps", failing_at(right, (5,), 9))
    answer = pebbling.combs({"most": 5}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"leaves": 5, "steps": [3]})
    assert pebbling.combs({"most": 4}, NOTHING).holds


def test_the_work_of_a_scan_is_bounded_from_two_letters_on():
    assert pseudocode.work({"most": 64}, NOTHING).holds
    found = pseudocode.in_place({"direction": "ascending", "most": 2}, NOTHING)
    assert found.holds is False and found.witness["n"] == 2
    assert pseudocode.in_place({"direction": "ascending", "most": 1}, NOTHING).holds


def test_more_products_of_letters_than_can_be_listed_are_refused(monkeypatch):
    letters = [tuple(map(Fraction, row)) for row in ((1, 1, 0, 1), (1, 0, 1, 1))]
    monkeypatch.setattr(saturation, "MOST_WORDS", 4)
    norms, distances = saturation.growth(letters, 2)
    assert len(norms) == len(distances) == 3
    with pytest.raises(Refused, match="more than 4 products"):
        saturation.growth(letters, 3)


def test_constructions_that_are_not_known_have_no_coordinates():
    with pytest.raises(Refused, match="'none' is not known"):
        sequence_sizes.coordinates("none", 2)
    assert sequence_sizes.coordinates("unrolled", 3) == ([3, 9, 1, 2], [3, 1, 9, 1], 2)
    assert sequence_sizes.coordinates("residual", 2) == ([4, 4, 2, 1], [4, 1, 4, 1], 2)


def test_a_wrong_prefix_is_named_by_its_length_and_place(monkeypatch):
    right = sequences.wrong_prefix
    monkeypatch.setattr(sequences, "wrong_prefix", failing_at(right, ("theorem1", 3), 0))
    asked = {"construction": "theorem1"}
    answer = sequences.words({**asked, "most": 3, "also": [8]}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"T": 3, "t": 0})
    assert sequences.words({**asked, "most": 2, "also": [4]}, NOTHING).holds
    monkeypatch.setattr(sympy_proofs, "wrong_prefix", failing_at(right, ("theorem1", 3), 0))
    answer = sympy_proofs.states({**asked, "states": [2], "lengths": [1, 3]}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"n": 2, "T": 3, "t": 0})


def test_a_tensor_that_does_not_multiply_is_named(monkeypatch):
    monkeypatch.setattr(sequences, "multiplies", failing_at(sequences.multiplies, (2,), False))
    monkeypatch.setattr(sympy_proofs, "multiplies", sequences.multiplies)
    asked = {"construction": "theorem1", "lengths": [4]}
    answer = sympy_proofs.states({**asked, "states": [1, 2]}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"n": 2, "T": 4, "t": None})
    assert sympy_proofs.states({**asked, "states": [1, 3]}, NOTHING).holds
    refuses("layer.product", {"states": [1, 2]}, "n = 2: the tensor does not multiply")


def test_a_tie_holds_no_letters_and_a_head_that_looks_elsewhere_is_named(monkeypatch):
    right = sequences.Line.source
    tie = lambda self, place, layer: None if layer == 1 else right(self, place, layer)  # noqa: E731
    monkeypatch.setattr(sequences.Line, "source", tie)
    assert sequences.wrong_prefix("theorem1", 4) == -1
    assert sequences.wrong_prefix("theorem1", 2) is None
    answer = sequences.sources({"lengths": [2, 4]}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"T": 4, "row": 0})
    off = lambda self, place, layer: right(self, place, layer) + (place == 3)  # noqa: E731
    monkeypatch.setattr(sequences.Line, "source", off)
    answer = sequences.sources({"lengths": [4]}, NOTHING)
    assert answer.holds is False and answer.witness["T"] == 4


def test_a_position_with_other_letters_after_a_layer_is_named(monkeypatch):
    right = sequences.held

    def other(places, length, unrolled=False):
        found = right(places, length, unrolled)
        return [*found[:1], {**found[1], 2: (2,)}, *found[2:]] if length == 3 else found

    monkeypatch.setattr(sequences, "held", other)
    answer = sequences.rounds({"lengths": [2, 3]}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"T": 3, "layer": 1, "t": 2})
    assert sequences.rounds({"lengths": [1, 2, 4]}, NOTHING).holds


@pytest.mark.parametrize(
    ("value", "up", "text"),
    [(0, True, "0"), (Fraction(1, 3), True, "0.333334"), (Fraction(1, 3), False, "0.333333"),
     (Fraction(2_000_001, 2), True, "1.00001e+6"), (10**6, True, "1e+6"),
     (Fraction(-1, 3), True, "-0.333333"), (Fraction(999_999_9, 10**7), True, "1")],
)  # fmt: skip
def test_six_digits_are_rounded_up_or_down(value, up, text):
    assert soft_attention.rounded(Fraction(value), up) == text


def test_intervals_decide_or_are_refused():
    at_most = soft_attention.at_most
    assert at_most((0, 1), (1, 2)) and not at_most((3, 4), (1, 2))
    for error in ((0, 2), (2, 3)):
        with pytest.raises(Refused, match="overlap"):
            at_most(error, (1, 2))


def test_a_p_value_is_on_one_side_of_its_level_or_refused():
    level = Fraction(1, 20)
    assert statistics.side((level / 2, level / 2), level)
    assert not statistics.side((level, 2 * level), level)
    for bounds in ((level / 2, level), (level / 2, 2 * level)):
        with pytest.raises(Refused, match="too near to its level"):
            statistics.side(bounds, level)
    assert statistics.rounded((level, level), 6) == "0.050000"
    with pytest.raises(Refused, match=r"between 0\.050000 and 0\.060000"):
        statistics.rounded((level, Fraction(3, 50)), 6)


def test_two_bends_that_fit_alike_are_refused(monkeypatch):
    monkeypatch.setattr(statistics.statistics, "elbow", lambda *_: None)
    with pytest.raises(Refused, match="two bends"):
        statistics.bend(3, tables.tables()["3"]["columns"][0], "linear")


@pytest.mark.parametrize(
    ("means", "holds", "end"),
    [((9, 8, 3, 2), True, 3), ((9, 6, 3, 0), False, 2), ((9, 5, 3, 1), False, 2),
     ((9, 4, 3, 1), True, 2)],
)  # fmt: skip
def test_the_largest_drop_exceeds_what_follows_it_or_its_column_is_named(
    means, holds, end, monkeypatch
):
    curve = lambda number, column: ([1, 2, 3, 4], list(map(Fraction, means)))  # noqa: E731
    monkeypatch.setattr(statistics, "curve", curve)
    answer = statistics.largest_drop({"number": 3, "columns": ["8"]}, NOTHING)
    assert (answer.holds, answer.values) == (holds, {"ends": {"8": end}})
    assert answer.witness == (None if holds else {"column": "8"})


def test_a_descriptor_separates_only_where_dashes_and_entries_lie_apart(monkeypatch):
    entries = {"one": "2", "two": "-", "three": "3"}
    monkeypatch.setattr(tables, "DASH", "-")
    answers = {}
    for name, values in {"between": "5 6 7", "apart": "5 9 6", "beside": "5 4 6",
                         "within": "5 5 5"}.items():  # fmt: skip
        row = dict(zip(entries, values.split(), strict=True))
        monkeypatch.setattr(tables, "rows", lambda _, row=row: {"layers": entries, "states": row})
        answers[name] = (
            tables.inseparable.__wrapped__(["states"]).holds
            if hasattr(tables.inseparable, "__wrapped__")
            else tables.inseparable({"descriptors": ["states"]}, NOTHING).holds
        )
    assert answers == {"between": True, "apart": False, "beside": False, "within": True}


@pytest.mark.parametrize(("bold", "second"), [("0.2", "0.3"), ("0.1", "0.1")])
def test_a_bold_cell_that_is_not_the_smallest_or_not_alone_is_named(bold, second, monkeypatch):
    monkeypatch.setattr(tables, "rows", lambda _: {"one": {"1": "0.1", "2": second, "3": "0.4"}})
    monkeypatch.setattr(tables, "tables", lambda: {"2": {"bold": {"one": bold}}})
    answer = tables.bold({}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"rows": 1, "wrong": ["one"]})
    monkeypatch.setattr(tables, "rows", lambda _: {"one": {"1": bold, "2": "0.5"}})
    assert tables.bold({}, NOTHING).holds


def test_cells_of_experiments_have_their_names():
    layers = {"task": "layers", "length": 16, "layers": 2, "tries": 1}
    assert training.name_of(layers) == "layers-T16-L2"
    assert training.name_of({**layers, "tries": 3}) == "layers-T16-L2-tries3"
    embedding = {"task": "embedding", "counted": 2, "width": 8}
    assert training.name_of(embedding) == "embedding-k2-d8"


@pytest.mark.parametrize(
    ("rounded", "holds"), [(["0", "0.0"], True), (["0", "1"], None), (["2", "1"], False)]
)
def test_errors_after_rounding_are_all_some_or_never_zero(rounded, holds, monkeypatch):
    monkeypatch.setattr(training, "firsts", lambda *_: rounded)
    answer = training.rounding({"cell": "layers-T16-L2", "epochs": 1}, NOTHING)
    shown = {"rounded": rounded, "least": min(rounded, key=float)}
    assert (answer.holds, answer.values) == (holds, shown)
    assert answer.witness == (shown if holds is False else None)


def test_heads_that_miss_other_brackets_for_other_terms_are_undecided(monkeypatch):
    """With each number of terms another bracket is missed, so that none is missed with all."""

    def attended(i, tokens, depth, step, terms):
        child = tree_heads.rights(tree_heads.tree.read(tokens))[i]
        return child + (terms == (len(tokens) == 4))

    monkeypatch.setattr(tree_heads, "attended", attended)
    asked = {"depth": "before", "step": "exact", "leaves": 3}
    assert tree_heads.right_head({**asked, "terms": [0, 1]}, NOTHING).holds is None
    assert tree_heads.right_head({**asked, "terms": [2]}, NOTHING).holds is True
    answer = tree_heads.right_head({**asked, "terms": [0]}, NOTHING)
    assert answer.holds is False and answer.witness["looks"] == [answer.witness["child"] + 1]
    assert tree_heads.rights(tree_heads.tree.read(list("[aa]"))) == {1: 3}


@pytest.mark.parametrize("construction", tree_states.CONSTRUCTIONS)
def test_a_state_that_is_not_that_of_its_subtree_is_named(construction, monkeypatch):
    asked = {"construction": construction, "n": 1, "leaves": 2}
    assert tree_states.states(asked, NOTHING).holds
    right = tree_states._runs
    monkeypatch.setattr(tree_states, "_runs", lambda *given: [(7,), *right(*given)[1:]])
    answer = tree_states.states(asked, NOTHING)
    assert answer.holds is False and answer.witness["position"] == 1


@pytest.mark.parametrize("ended", [0, 1])
def test_layers_by_length_have_a_place_behind_the_last_token_only_where_one_is_needed(ended):
    wta = tree_states.generic(1, 2)
    rows = list(tree_states.by_length(wta, list("[ab]"), 2, ended))
    assert [len(row) for row in rows] == [4 + ended] * 3
    shape = tree_states.tree.read(list("[ab]"))
    for construction in ("maskless", "clean"):
        found = tree_states._runs(construction, wta, shape)
        assert len(found) == 4 + (construction == "maskless")


@pytest.mark.parametrize(("construction", "least"), [("clean", 4), ("masked", 1)])
def test_a_model_of_so_few_tokens_that_it_has_no_layer_has_no_sizes(construction, least):
    asked = {"construction": construction, "most": 1, "embedding": "n", "heads": 3, "depth": "h"}
    answer = tree_states.sizes({**asked, "lengths": [least]}, NOTHING)
    assert isinstance(answer.holds, bool)
    refuses("wta.sizes", {**asked, "lengths": [least - 1]}, "expected an integer from")


def test_an_mlp_with_more_units_than_the_bound_is_named():
    assert tree_states.hidden_units({"most": 2, "bound": "n⁹ + 99"}, NOTHING).holds
    answer = tree_states.hidden_units({"most": 3, "bound": "26"}, NOTHING)
    assert (answer.holds, answer.witness) == (False, {"n": 3, "units": 37})


def test_another_difference_of_powers_is_refused(monkeypatch):
    monkeypatch.setattr(units, "_difference", failing_at(units._difference, ((1, 1), 2), {}))
    assert units.differences({"most": 1}, NOTHING).values == {"monomials": 1}
    refuses("units.differences", {"most": 2}, r"exponents \(1, 1\), power 2")


@pytest.mark.parametrize(
    "change", [{"step": "0"}, {"step": "9/8"}, {"point": "33/8"}, {"point": "-33/8"}]
)
def test_weights_of_units_out_of_range_are_refused(change):
    stated = {"point": "1/2", "step": "1/64", "scale": "1"} | change
    with pytest.raises(Refused, match="out of range"):
        units.four_units(stated, "tanh", Fraction(1))


@pytest.mark.parametrize("radius", [0, 1001])
def test_a_radius_out_of_range_is_refused(radius):
    with pytest.raises(Refused, match="out of range"):
        units.four_units({"point": "1/2", "step": "1/64", "scale": "1"}, "tanh", Fraction(radius))


@pytest.mark.parametrize("place", range(3))
def test_terms_that_are_no_whole_numbers_are_refused(place):
    term = [[[0, 1]], [[0, 1]], [[0, 1]]]
    asked = {"scheme": "one", "size": 1, "products": 1}
    assert units.scheme(asked, {"values": {"terms": [term]}}).holds
    for wrong in ([0, 1.0], [False, 1]):
        broken = [*term[:place], [wrong], *term[place + 1 :]]
        with pytest.raises(Refused, match="whole numbers"):
            units.scheme(asked, {"values": {"terms": [broken]}})


def test_a_polynomial_whose_even_part_is_zero_decides_nothing():
    asked = {"activation": "tanh", "point": "1/2"}
    assert units.parity({**asked, "polynomial": [[[1], 3]]}, NOTHING).holds is None
    answer = units.parity({**asked, "polynomial": [[[2], 3], [[1], 1]]}, NOTHING)
    assert answer.witness == {"point": "1/2", "floor": "3/4"}


def test_the_derivatives_of_tanh_enclose_the_true_ones():
    """At 1/2 and over |x - 1/2| ≤ 1/100, by the closed forms with thirty digits."""
    import mpmath

    smooth = budget.Smooth({"bits": 8, "scale": "-1"})
    with mpmath.workdps(30):
        fourth = max(abs(mpmath.diff(mpmath.tanh, x, 4)) for x in (0.49, 0.5, 0.51))
        bound = mpmath.mpf(smooth.fourth.numerator) / smooth.fourth.denominator
        assert fourth <= bound <= fourth * mpmath.mpf("1.1")
        t = mpmath.tanh(mpmath.mpf(1) / 2)
        slope = abs(4 * mpmath.mpf(2) ** -16 * (2 * t * (1 - t * t)) - 1)
        assert abs(mpmath.mpf(smooth.slope.numerator) / smooth.slope.denominator - slope) < 1e-20


def test_a_model_without_a_positive_error_is_refused():
    with pytest.raises(Refused, match="expected a positive number"):
        model = {
            "automaton": {"tensor": [], "leaves": {}}, "saturation": 1, "smooth": {"bits": 1},
            "tokens": 2, "bound": "0", "sizes": [], "embedded": [], "renewed": [], "states": [],
            "layers": [], "order": [],
        }  # fmt: skip
        given = {key: model.get(key) for key in budget.FIELDS}
        asked = {"construction": "logdepth", "tensor": [[["1"]]], "letters": {"a": ["1"]},
                 "length": 1, "eps": "0", "leaves": 1}  # fmt: skip
        given["automaton"] = {"tensor": asked["tensor"], "leaves": asked["letters"]}
        budget.error(asked, {"values": {"C": 1, "k": 1, "model": given}})
