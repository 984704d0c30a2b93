"""Machine-checked theorems: the pinned text, and what Coq says when it is asked again."""

import json
from importlib.resources import files

import pytest
from record_support import LIST, alone

from constructions.core.writing import cache_folder
from verify.coq import compile as coq
from verify.coq.sources import Refused as NotProved
from verify.recheck.errors import Refused
from verify.recheck.kinds import coq as compared
from verify.recheck.shared import coq as kinds

PINNED = json.loads((files("verify") / "coq" / "statements.json").read_text("utf-8"))
NAME = next(iter(PINNED))


def clear():
    kinds._all_are_established.cache_clear()
    kinds._fault_of_examples.cache_clear()


def certificate(**changes):
    plain = {"key": "k", "fact": "coq.theorem", "method": "machine-checked", "witness": None}
    return {
        **plain,
        "parameters": {"theorem": NAME},
        "holds": True,
        "values": PINNED[NAME],
        **changes,
    }


def test_the_pinned_theorem_is_accepted():
    alone(certificate())


@pytest.mark.parametrize(
    ("changes", "because"),
    [
        ({"values": {**PINNED[NAME], "statement": "True"}}, "values: statement"),
        ({"values": {**PINNED[NAME], "assumptions": []}}, "values: assumptions"),
        ({"values": {**PINNED[NAME], "time": "never run"}}, "values: fields"),
        ({"holds": None}, "holds: stated None"),
        ({"holds": 1}, "holds: stated 1, found True"),
        ({"witness": {"remark": "x"}}, "witness"),
        ({"parameters": {"theorem": "none"}}, "no theorem 'none' is pinned"),
        ({"parameters": {"theorem": NAME, "more": 1}}, "field 'more' is not known"),
    ],
)
def test_a_certificate_of_anything_else_is_refused(changes, because):
    with pytest.raises(Refused, match=because):
        alone(certificate(**changes))


@pytest.mark.parametrize("error", [NotProved, OSError, RuntimeError, ValueError])
def test_a_proof_that_coq_does_not_accept_is_refused(error, monkeypatch):
    def fails(names, folder, cache):
        raise error("not accepted")

    clear()
    monkeypatch.setattr(coq, "check_examples", lambda folder, cache: None)
    monkeypatch.setattr(coq, "established", fails)
    with pytest.raises(Refused, match=f"Coq does not confirm {NAME}: not accepted"):
        kinds.compile_again({"theorem": NAME})
    clear()
    monkeypatch.setattr(coq, "established", lambda names, folder, cache: {})
    kinds.compile_again({"theorem": NAME})
    clear()


def test_nothing_is_taken_from_the_cache_of_the_user(monkeypatch):
    folders = []
    clear()
    monkeypatch.setattr(coq, "established", lambda names, folder, cache: folders.append(cache))
    monkeypatch.setattr(coq, "check_examples", lambda folder, cache: None)
    for _ in range(2):
        kinds.compile_again({"theorem": NAME})
    clear()
    assert len(folders) == 1
    assert folders[0] != cache_folder()
    assert folders[0].stat().st_mode & 0o077 == 0


def weights(model, seed=12, **changes):
    """A certificate of the comparison of a model's weights, beside those of another."""
    models = [model, next(name for name in compared.SIZES if name != model)]
    values = {
        "sizes": {name: compared.SIZES[name] for name in models},
        "drawn": {
            name: compared.drawn_sizes(f"compared {name}", compared.DRAWN[name], seed)
            for name in models
        },
        "runs": {name: compared.drawn_sizes(name, compared.RUNS[name], seed) for name in models},
    }
    for field, other in changes.items():
        values[field] = {**values[field], model: other}
    item = certificate(fact="coq.weights", method="exact", parameters={"models": models})
    return {**item, "values": {**values, "seed": seed}}


@pytest.mark.parametrize("model", compared.SIZES)
def test_no_other_sizes_are_said_to_be_compared_than_those_that_are(model):
    item = weights(model)
    alone(item)
    sizes = item["values"]["sizes"][model]
    others = ([], ["all"], [1], sizes[0], sizes[::-1], sizes[1:], [*sizes, "n = 99, T = 999"])
    for other in others:
        if other != sizes:
            with pytest.raises(Refused, match="sizes"):
                alone(weights(model, sizes=other))
    for change in (
        {"holds": False},
        {"witness": {"differences": []}},
        {"parameters": {}},
        {"parameters": {"models": [model]}},
        {"parameters": {"models": [model, model]}},
    ):
        with pytest.raises(Refused):
            alone({**item, **change})


@pytest.mark.parametrize("model", compared.RUNS)
def test_no_other_sizes_are_said_to_be_run_than_those_that_the_seed_decides(model):
    for field, key, ranges in (
        ("runs", model, compared.RUNS),
        ("drawn", f"compared {model}", compared.DRAWN),
    ):
        drawn, others = (compared.drawn_sizes(key, ranges[model], seed) for seed in (12, 13))
        for other in ([], drawn[1:], [*drawn, "n = 99, T = 9999"], others):
            if other != drawn:
                with pytest.raises(Refused, match=field):
                    alone(weights(model, **{field: other}))
    for seed in (-1, "12", 10**30, None):
        with pytest.raises(Refused, match="seed"):
            alone(weights(model) | {"values": weights(model)["values"] | {"seed": seed}})


@pytest.mark.parametrize("seed", [0, 1, 10**18])
def test_a_seed_has_at_most_eighteen_zeros(seed):
    alone(weights("mlp", seed))
    with pytest.raises(Refused, match="seed = 1000000000000000001, expected an integer from 0 to"):
        alone(weights("mlp", 10**18 + 1))


def test_published_comparisons_and_axioms_are_confirmed():
    items = [item for item in LIST if item["fact"] in ("coq.weights", "coq.checked")]
    assert len(items) > 1
    for item in items:
        alone(item)
