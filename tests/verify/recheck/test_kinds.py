"""Laws of every confirmation, on the cases of `recheck_cases`.

agreement     the confirmation comes to what the fact finds, also at the least sizes
certificates  each is confirmed as it is published, and refused with anything changed, left out or added
parameters    every value that is not declared is refused before anything is computed
"""

import copy
import json
from functools import cache, cached_property
from itertools import islice

import pytest
from confirm_support import computed_once
from facts_support import DATA, certificate, same
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from recheck_cases import CASES, FORGED, REFUSED
from record_support import LIST, LIVE, NUMBERS_ON_TRUST
from tests_support import changes, no_more

from verify.facts.registry import Inputs, find, registered
from verify.recheck.confirmations import OURS, declared
from verify.recheck.declarations import ByName, Different, Fields
from verify.recheck.errors import MALFORMED, Refused

DECLARED = dict(declared(OURS))
CONFIRM = {name: computed_once(each.confirm) for name, each in DECLARED.items()}
MOST_CHANGES = 24
# Their certificates show numbers that serve; a number nearby may serve as well.
SHOWN = {"decoder.needed", "model.precision", "saturation.required", "units.multiply"}


class Case:
    """A fact with parameters, as a file has them."""

    def __init__(self, fact, number, parameters):
        self.fact, self.number = fact, number
        self.parameters = json.loads(json.dumps(parameters))

    def __str__(self):
        return f"{self.fact}-{self.number}"

    @cached_property
    def stated(self):
        """The part of the fact's certificate that is confirmed."""
        found = outcome(self.fact, self.parameters)
        assert found is not None
        return json.loads(json.dumps(certificate(found)))

    def confirms(self, **changed):
        stated = {**self.stated, **changed}
        return same(CONFIRM[self.fact](self.parameters, stated, DATA), stated)


class Published(Case):
    """A certificate as it is published."""

    def __init__(self, item):
        super().__init__(item["fact"], item["key"][-4:], item["parameters"])
        self.stated = {name: item[name] for name in ("holds", "values", "witness")}


def outcome(fact, parameters):
    """Return what the fact finds, or None where it does not answer."""
    [found] = find(registered()[fact], [dict(parameters)], Inputs())
    return None if found.crash or found.missing else found


ALL = [Case(fact, k, each) for fact, listed in CASES.items() for k, each in enumerate(listed)]
COMPUTED = {fact for fact in DECLARED if fact.partition(".")[0] not in ("coq", "lean")}
PUBLISHED = [Published(item) for item in LIST if item["fact"] in COMPUTED - set(CASES)]
by_case = pytest.mark.parametrize("case", ALL, ids=str)


@by_case
def test_a_confirmation_comes_to_what_the_fact_finds(case):
    assert case.confirms()


def last_digit(text):
    """The same number, one off in its last digit."""
    if text[-1:].isdecimal():
        yield f"{text[:-1]}{(int(text[-1]) + 1) % 10}"


@pytest.mark.parametrize("case", [*ALL, *PUBLISHED], ids=str)
def test_a_changed_certificate_is_refused(case):
    """Every change of one place, in steps where there are many."""
    listed = [{"holds": not case.stated["holds"]}, {"holds": None}, {"witness": {"T": 2}}]
    listed += [{"values": {**case.stated["values"], "more": 1}}]
    more = no_more if case.fact in SHOWN else last_digit
    values = [] if case.fact in NUMBERS_ON_TRUST else list(changes(case.stated["values"], more))
    listed += [{"values": each} for each in values[:: 1 + len(values) // MOST_CHANGES]]
    listed += [{"witness": each} for each in islice(changes(case.stated["witness"]), MOST_CHANGES)]
    for change in listed:
        if any(case.stated[name] != value for name, value in change.items()):
            assert refused(case, change), change


def refused(case, change):
    try:
        return not case.confirms(**change)
    except (Refused, *MALFORMED):
        return True


def changed(stated, path, value):
    """The certificate with another value at a place, or with all these fields."""
    if not path:
        return {**stated, **value}
    made = copy.deepcopy(stated)
    *steps, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    place = made
    for step in steps:
        place = place[step if isinstance(place, list) else str(step)]
    if isinstance(place, dict):
        assert place.get(str(last)) != value
        place[str(last)] = value
    else:
        assert place[last] != value
        place[last] = value
    return made


@pytest.mark.parametrize(
    ("fact", "path", "value"), [(f, *row) for f, rows in FORGED.items() for row in rows]
)
def test_a_forged_certificate_is_refused(fact, path, value):
    [case, *_] = [
        case
        for case in [*ALL, *PUBLISHED]
        if case.fact == fact and (not path.startswith("witness") or case.stated["witness"])
    ]
    assert case.confirms()
    assert refused(case, changed(case.stated, path, value))


# Parameters


@cache
def example(fact):
    """Parameters of a fact that are confirmed."""
    if fact in CASES:
        return Case(fact, 0, CASES[fact][0]).parameters
    listed = LIVE.certificates["certificates"]
    return next((i["parameters"] for i in listed if i["fact"] == fact), None)


def wrong(spec):
    """Values that are not as a parameter is declared."""
    yield from (None, 1.5)
    match spec:
        case [int() as least, int() as most] if isinstance(spec, tuple):
            yield from (least - 1, most + 1, 10**30, True, str(least), [least])
        case tuple():
            yield from ("", "other", 1, [spec[0]])
        case [of, *ends]:
            least, most = ends or (1, 200)
            yield from ("x", {"a": 1}, *([[]] if least else []), [None] * (most + 1))
            yield from ([each] * max(1, least) for each in wrong(of))
        case Different(of=of, least=least):
            yield from wrong([of, least, 200])
        case ByName(of=of, least=least):
            yield from ("x", [1], *([{}] if least else []), {str(k): 1 for k in range(300)})
            yield from ({"": each} for each in wrong(of))
        case Fields(of=of):
            yield from ("x", [], {}, dict.fromkeys([*of, "more"]), dict.fromkeys(of))
        case _ if spec is str:
            yield from (1, ["x"], {})
        case _ if spec is bool:
            yield from (0, 1, "true")


@pytest.mark.parametrize("fact", sorted(set(DECLARED) - {"lean.theorem", "source.line"}))
def test_parameters_that_are_not_declared_are_refused(fact):
    known, asked = example(fact), DECLARED[fact].asked
    tried = [{**known, name: 1} for name in ("more", "certificate", "data") if name not in known]
    tried += [{**known, name: value} for name, spec in asked.items() if spec is not object
              for value in wrong(spec)]  # fmt: skip
    for name, spec in asked.items():
        if isinstance(spec, Different) and known.get(name):
            tried.append({**known, name: [*known[name], known[name][0]]})
    for parameters in tried:
        with pytest.raises((Refused, *MALFORMED)):
            DECLARED[fact].confirm(parameters, {"holds": True, "values": {}, "witness": None}, DATA)


@by_case
def test_a_parameter_that_is_left_out_has_the_default_of_the_fact(case):
    for name in case.parameters:
        left = Case(case.fact, 0, {k: v for k, v in case.parameters.items() if k != name})
        try:
            answer = CONFIRM[case.fact](left.parameters, case.stated, DATA)
        except (Refused, *MALFORMED):
            continue
        assert same(answer, left.stated)


@pytest.mark.parametrize(
    ("fact", "change"), [(f, c) for f, listed in REFUSED.items() for c in listed]
)
def test_parameters_that_mean_nothing_or_take_long_are_refused(fact, change):
    parameters = {**example(fact), **change}
    with pytest.raises((Refused, *MALFORMED)):
        DECLARED[fact].confirm(parameters, {"holds": True, "values": {}, "witness": None}, DATA)


def agrees(fact, parameters):
    """Return True if both give the same answer, or if one gives none."""
    found = outcome(fact, parameters)
    if found is None:
        return True
    stated = json.loads(json.dumps(certificate(found)))
    try:
        return same(CONFIRM[fact](parameters, stated, DATA), stated)
    except Refused:
        return True


@by_case
def test_both_agree_at_the_least_sizes(case):
    for name, spec in DECLARED[case.fact].asked.items():
        match spec, case.parameters.get(name):
            case (int() as least, int()), int() if isinstance(spec, tuple):
                assert agrees(case.fact, {**case.parameters, name: least}), name


def smaller(draw, spec, old):
    """A value as it is declared, not larger than one that is known to be quick."""
    match spec, old:
        case (int() as least, int()), int() if type(old) is int and isinstance(spec, tuple):
            return draw(st.integers(least, max(least, old)))
        case tuple(), str():
            return draw(st.sampled_from(spec))
        case [of, *ends], list() if old and isinstance(spec, list):
            least, most = ends or (1, len(old))
            count = draw(st.integers(least, max(least, min(most, len(old)))))
            return [smaller(draw, of, draw(st.sampled_from(old))) for _ in range(count)]
    return old


@settings(max_examples=50, phases=[Phase.generate])
@given(st.sampled_from(ALL), st.data())
def test_both_agree_at_random_parameters(case, data):
    asked = DECLARED[case.fact].asked
    parameters = {n: smaller(data.draw, asked[n], old) for n, old in case.parameters.items()}
    assert agrees(case.fact, parameters), parameters


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(0, 3))
def test_both_agree_on_random_polynomials(coefficients, change):
    left = "+".join(f"{c}n{power}" for c, power in zip(coefficients, ("", *"²³⁴"), strict=False))
    assert agrees("identity.polynomial", {"left": left, "right": f"{change}+{left}"})


expressions = st.recursive(
    st.sampled_from("ABC"),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", ""]), inner).map(
        lambda parts: f"({' '.join(parts)})"
    ),
    max_leaves=6,
)


@given(expressions, expressions)
def test_both_agree_on_random_expressions(left, right):
    assert agrees("free.identity", {"left": left, "right": right})


def step(n):
    return Case("logdepth.step", "forged", {"n": n})


def test_a_product_that_is_left_out_of_a_step_or_doubled_is_refused():
    units = step(1).stated["values"]["units"]
    for k in range(0, len(units), 3):
        assert refused(step(1), {"values": {"units": units[:k] + units[k + 1 :]}})
    assert refused(step(1), {"values": {"units": [units[0], *units]}})


def test_a_layer_whose_weights_are_its_inputs_is_refused():
    """Units that read nothing but the constant, weighted by the coordinates themselves."""
    values = copy.deepcopy(step(2).stated["values"])
    for unit in values["units"]:
        for side in ("left", "right"):
            name, at, weight = unit[side][0]
            if len(unit[side]) == 1 and weight == "1" and name != "one":
                unit[side] = [["one", 0, f"{name}_{at}"]]
    assert refused(step(2), {"values": values})
