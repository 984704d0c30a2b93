"""The re-checker comes to the same answers on trees by another computation, and refuses the rest."""

import json

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import budget, logdepth, tree_automata, tree_heads, tree_states, trees

ALL = {
    "n": 2,
    "leaves": {"a": [0, 1]},
    "rules": [[p, r, q] for p in (0, 1) for r in (0, 1) for q in (0, 1)],
}
PAIRS = {
    "tensor": [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]],
    "letters": {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]},
}
MIXING = {
    "tensor": [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    "letters": {"a": ["1", "0"], "b": ["0", "1"], "c": ["1/2", "1/2"], "d": ["1/3", "2/3"]},
}
SIZES = {"lengths": [4, 10], "embedding": "n+7", "heads": 3, "depth": "2h"}
CASES = [
    ("tree.strings", trees.all_strings, {"letters": 2, "leaves": 4}),
    ("tree.strings-in", trees.strings_within, {"among": "Σ* ∪ {[, ]}", "letters": 2, "leaves": 3}),
    (
        "tree.strings-in",
        trees.strings_within,
        {"among": "(Σ ∪ {[, ]})*", "letters": 2, "leaves": 3},
    ),
    ("tree.one-length", trees.one_length, {"length": 1}),
    ("tree.one-length", trees.one_length, {"length": 5}),
    ("tree.not-a-string", trees.not_a_string, {"string": "[a]"}),
    ("tree.not-a-string", trees.not_a_string, {"string": "[[ab]c]"}),
    ("tree.markers", trees.markers_differ, {"letter": 0, "opening": 1, "closing": -1}),
    ("tree.markers", trees.markers_differ, {"letter": 0, "opening": 1, "closing": 0}),
    *(
        ("tree.rule", trees.rule, {"given": given, "wanted": wanted, "leaves": 4})
        for given, wanted in (
            ("sum of m_{j+1} over j ≤ i", "level"),
            ("sum of m_j over j < i", "enclosing brackets"),
            ("mean of m_{j-1} over j ≤ i", "i times that mean"),
            ("m_{i+1}", "m_{i-1}"),
            ("height of the subtree", "level"),
            ("i + 1", "left child"),
            ("second tree one level down", "closest j > i + 1 one level down"),
            ("left child", "right child"),
        )
    ),
    ("tree.left-head", tree_heads.left_head, {"longest": 6}),
    *(
        (
            "tree.right-head",
            tree_heads.right_head,
            {"depth": depth, "step": step, "terms": terms, "leaves": 3},
        )
        for depth, step, terms in (
            ("printed", "literal", [0, 1]),
            ("before", "exact", [0]),
            ("before", "repaired", [0, 4]),
            ("before", "scaled", [1]),
        )
    ),
    ("tree.right-heads", tree_heads.right_heads, {"string": "[a[bc]]", "terms": 2}),
    ("tree.right-heads", tree_heads.right_heads, {"string": "a", "terms": 0}),
    (
        "step.near",
        tree_heads.near_step,
        {"formula": "literal", "lengths": [4], "terms": [0, 3], "within": "1/2"},
    ),
    (
        "step.near",
        tree_heads.near_step,
        {"formula": "repaired", "lengths": [4], "terms": [8], "within": "1/4"},
    ),
    ("step.some-count", tree_heads.some_count, {"most": 2, "longest": 20}),
    ("step.some-count", tree_heads.some_count, {"most": 4, "longest": 7}),
    ("score.rank", tree_heads.score_rank, {"pattern": "equal on j ≤ i", "length": 9, "width": 7}),
    ("score.rank", tree_heads.score_rank, {"pattern": "[j ≥ i+2]", "length": 9, "width": 7}),
    (
        "softmax.depths",
        tree_heads.softmax_depths,
        {"leaves": 3, "growths": [64, 1024], "below": "1/100"},
    ),
    (
        "softmax.depths",
        tree_heads.softmax_depths,
        {"leaves": 2, "growths": [64], "below": "1/1000000"},
    ),
    *(
        ("wta.states", tree_states.states, {"construction": construction, "n": 2, "leaves": 3})
        for construction in tree_states.CONSTRUCTIONS
    ),
    ("wta.sizes", tree_states.model_sizes, {"construction": "maskless", "most": 2, **SIZES}),
    ("wta.sizes", tree_states.model_sizes, {"construction": "masked", "most": 2, **SIZES}),
    ("wta.modes", tree_states.modes, {"n": 1}),
    ("wta.modes", tree_states.modes, {"n": 3}),
    ("wta.hidden-units", tree_states.hidden_units, {"most": 3, "bound": "n²+6n+10"}),
    ("wta.hidden-units", tree_states.hidden_units, {"most": 3, "bound": "20n"}),
    ("comb.word", tree_states.comb_word, {"n": 2, "longest": 3}),
    ("tree-automaton.runs", tree_automata.runs, {"automata": [ALL], "leaves": 3}),
    ("tree-automaton.bits", tree_automata.bits, {"machine": ALL, "heights": 3, "per_leaf": 2}),
    ("tree-automaton.bits", tree_automata.bits, {"machine": ALL, "heights": 3, "per_leaf": 3}),
    *(
        (
            "logdepth.states",
            logdepth.states,
            {"variant": variant, "positions": positions, "leaves": leaves, **PAIRS},
        )
        for variant, positions, leaves in (
            ("opening", "integers", 4),
            ("closing", "integers", 3),
            ("opening", "circle", 2),
        )
    ),
    ("logdepth.large", logdepth.large, {"leaves": 12, "prime": 1009, **PAIRS}),
    ("logdepth.step", logdepth.step, {"n": 1}),
    ("logdepth.margins", logdepth.margins, {"least": 1}),
    ("logdepth.margins", logdepth.margins, {"least": 2}),
    (
        "logdepth.sizes",
        logdepth.model_sizes,
        {"most": 3, "embedding": "n²+n+12", "heads": 4, "products": "n³+2n²+3n+17"},
    ),
    (
        "logdepth.sizes",
        logdepth.model_sizes,
        {"most": 3, "embedding": "n²+n+12", "heads": 3, "products": "n³+2n²+3n+17"},
    ),
    ("pebbling.steps", logdepth.most_of_all_shapes, {"leaves": 8}),
    ("pebbling.extremal", logdepth.extremal_trees, {"most": 7}),
    ("pebbling.combs", logdepth.combs, {"most": 12}),
    ("pebbling.families", logdepth.families, {"leaves": [1, 4, 33]}),
    (
        "budget.error",
        budget.error,
        {"construction": "maskless", "length": 4, "eps": "1/1000", "leaves": 1, **MIXING},
    ),
]
NAMES = [f"{name} {number}" for number, (name, _, _) in enumerate(CASES)]


@pytest.fixture(scope="module")
def stated():
    """What each fact found, computed once."""
    found = {}

    def of(number):
        if number not in found:
            _, fact, parameters = CASES[number]
            found[number] = fact(**parameters)
        return found[number]

    return of


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_the_confirmation_comes_to_what_the_fact_found(number, stated):
    name, _, parameters = CASES[number]
    assert confirmed(name, stated(number), parameters)


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_a_flipped_outcome_a_changed_value_and_a_changed_witness_are_refused(number, stated):
    name, _, parameters = CASES[number]
    given = certificate(stated(number))
    assert refused(name, parameters, **{**given, "holds": not given["holds"]})
    assert refused(name, parameters, **{**given, "holds": None})
    assert refused(name, parameters, **{**given, "values": {**given["values"], "more": 1}})
    assert refused(name, parameters, **{**given, "witness": {"T": 2}})
    for key, value in given["values"].items():
        assert refused(name, parameters, **{**given, "values": {**given["values"], key: [value]}})


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_a_parameter_more_or_less_is_refused(number, stated):
    name, _, parameters = CASES[number]
    given = certificate(stated(number))
    assert refused(name, {**parameters, "more": 1}, **given)
    for key in parameters:
        less = {other: value for other, value in parameters.items() if other != key}
        assert refused(name, less, **given)


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
@pytest.mark.parametrize("value", [0, -5, 10**9, True, "3"])
def test_numbers_out_of_range_and_numbers_as_text_are_refused(number, value, stated):
    name, _, parameters = CASES[number]
    given = certificate(stated(number))
    for key, old in parameters.items():
        same = type(old) is int and type(value) is int and value == old
        in_range = (name, key, value) in {
            ("tree.right-heads", "terms", 0),
            ("pebbling.extremal", "most", 0),
            ("step.some-count", "most", 0),
            *(("tree.markers", other, v) for other in parameters for v in (0, -5)),
            ("wta.sizes", "heads", 0),
        }
        if type(old) is int and not same and not in_range:
            refuses(name, {**parameters, key: value}, "expected")
        elif type(old) is int and not same and name != "tree.right-heads":
            assert refused(name, {**parameters, key: value}, **given)


LISTS = [(name, key) for name, _, p in CASES for key, value in p.items() if isinstance(value, list)]


@pytest.mark.parametrize(("name", "key"), sorted(set(LISTS)))
def test_an_empty_list_and_a_list_of_something_else_are_refused(name, key):
    parameters = next(p for other, _, p in CASES if other == name)
    for value in ([], ["x"], "x", [None]):
        assert refused(name, {**parameters, key: value})


def test_a_number_of_terms_that_stands_twice_is_refused():
    parameters = {"depth": "before", "step": "exact", "terms": [0, 0], "leaves": 2}
    refuses("tree.right-head", parameters, "stands twice")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tree.rule", {"given": "depth"}),
        ("tree.right-head", {"depth": "true"}),
        ("tree.right-head", {"step": "none"}),
        ("wta.states", {"construction": "any"}),
        ("score.rank", {"pattern": "j > i"}),
        ("logdepth.states", {"variant": "none"}),
        ("logdepth.states", {"positions": "none"}),
        ("budget.error", {"construction": "masked"}),
        ("budget.error", {"eps": "0"}),
        ("tree.strings-in", {"among": "Σ"}),
        ("tree.not-a-string", {"string": ""}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    parameters = next(p for other, _, p in CASES if other == name)
    assert refused(name, {**parameters, **change})


CHANGES = {
    "saturation": lambda m: m.__setitem__("saturation", m["saturation"] - 4),
    "tokens": lambda m: m.__setitem__("tokens", m["tokens"] + 3),
    "order": lambda m: m["order"].extend([0] * 9),
    "sizes": lambda m: m["sizes"].__setitem__(0, "1/2"),
    "weights": lambda m: m["automaton"]["tensor"][0][0].__setitem__(0, "3"),
    "bits": lambda m: m["smooth"].__setitem__("bits", m["smooth"]["bits"] - 6),
    "scale": lambda m: m["smooth"].__setitem__("scale", "1"),
    "layers": lambda m: m["layers"].pop(),
    "renewed": lambda m: m.__setitem__("renewed", ["x"]),
    "states": lambda m: m.__setitem__("states", []),
    "output": lambda m: m["layers"][0]["output"][0].__setitem__(2, "100000000"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_model_of_a_bound_is_refused(change):
    name, fact, parameters = CASES[-1]
    values = json.loads(json.dumps(fact(**parameters).values))
    assert not refused(name, parameters, values=values)
    change(values["model"])
    values["C"], values["k"] = values["model"]["saturation"], values["model"]["smooth"]["bits"]
    assert refused(name, parameters, values=values)


def test_a_product_that_is_left_out_of_the_step_is_refused():
    values = json.loads(json.dumps(logdepth.step(1).values))
    assert not refused("logdepth.step", {"n": 1}, values=values)
    for number in range(len(values["units"])):
        fewer = [unit for k, unit in enumerate(values["units"]) if k != number]
        assert refused("logdepth.step", {"n": 1}, values={"units": fewer})
