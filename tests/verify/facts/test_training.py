"""The rules of docs/protocol.md: each can come out consistent, inconsistent and undecided."""

from fractions import Fraction

import pytest

from constructions.core.errors import InputError
from verify.experiments import summary
from verify.experiments.printed import Spread
from verify.experiments.settings import Settings
from verify.experiments.statistics import group
from verify.facts import training

PRINTED = Spread("0.200000", "0.050000")


def ours(*errors):
    return group([Fraction(error) for error in errors])


def verdict(*errors, printed=PRINTED):
    return training.compare_means(ours(*errors), printed, 10, Fraction(2), Fraction("0.05")).holds


def test_a_mean_within_a_factor_of_two_is_consistent():
    assert verdict("0.11", "0.12", "0.13") is True
    assert verdict("0.39", "0.40", "0.41") is True


def test_a_clear_difference_is_inconsistent():
    assert verdict("0.01", "0.012", "0.011") is False
    assert verdict("0.9", "0.95", "1.0") is False


def test_a_difference_that_chance_could_make_is_not_decided():
    assert verdict("0.05", "1.9", "0.1") is None


def test_the_interval_is_that_of_students_table():
    # The two-sided 5 % point with two degrees of freedom is 4.3027; s = 1 and √3 = 1.7321.
    assert training.interval(ours("1", "2", "3")) == ["-0.4841", "4.484"]
    with pytest.raises(InputError, match="seeds"):
        training.interval(ours("1", "2"))


@pytest.fixture
def runs(monkeypatch):
    """Committed records of our own making."""

    def commit(*cells):
        made = []
        for layers, epochs, tries, errors, rounded in cells:
            settings = Settings("layers", 16, layers, 16, (0, 1, 2), epochs=epochs, tries=tries)
            result = {"mse": errors, "rounded": rounded, "attention": [[["1"] * 31]]}
            result |= {"by_position": [["1", "3"], ["3", "5"]], "beyond": [["1"], ["2"]]}
            clock = {"cpu_seconds": 36.0}
            made.append({"settings": settings.plain(), "result": result, "clock": clock})
        monkeypatch.setattr(summary, "committed_records", lambda: made)

    return commit


def cell(layers, *errors, rounded=("0", "0", "0"), epochs=100):
    return layers, epochs, 1, [[error] for error in errors], [[value] for value in rounded]


def test_a_cell_is_judged_beside_its_printed_value(runs):
    runs(cell(4, "0.003", "0.004", "0.005"))
    found = training.cell_agrees("layers-T16-L4", 100, 10, "2", "0.05", "1.054")
    assert found.holds is True and found.values["printed"] == "0.003796 ± 0.002531"
    with pytest.raises(InputError, match="that was trained"):
        training.cell_agrees("layers-T16-L4", 99, 10, "2", "0.05", "1.054")


def test_a_ratio_that_was_not_measured_is_refused_with_the_one_that_was(runs):
    runs(cell(4, "0.003", "0.004", "0.005"))
    found = training.cell_agrees("layers-T16-L4", 100, 10, "2", "0.05", "1.055")
    assert found.holds is False
    assert found.witness == {"quoted": "1.055", "measured": "1.054"}


def test_a_fall_that_was_not_measured_is_refused_with_the_one_that_was(runs):
    runs(cell(1, "0.2", "0.3", "0.2"), cell(4, "0.01", "0.02", "0.01"))
    found = training.errors_fall(["layers-T16-L1", "layers-T16-L4"], 100, "17.51")
    assert found.holds is False
    assert found.witness == {"quoted": "17.51", "measured": "17.5"}


def test_layers_help_only_if_the_errors_are_apart(runs):
    names = ["layers-T16-L1", "layers-T16-L4"]
    runs(cell(1, "0.2", "0.3", "0.2"), cell(4, "0.01", "0.02", "0.01"))
    assert training.errors_fall(names, 100, "17.5").holds is True
    runs(cell(1, "0.2", "0.3", "0.2"), cell(4, "0.01", "0.25", "0.01"))
    assert training.errors_fall(names, 100, "2.593").holds is None
    runs(cell(1, "0.2", "0.3", "0.2"), cell(4, "0.3", "0.3", "0.3"))
    assert training.errors_fall(names, 100, "0.7778").holds is False


@pytest.mark.parametrize(
    ("rounded", "holds"),
    [(("0", "0", "0"), True), (("0", "0.1", "0"), None), (("0.1", "0.2", "0.1"), False)],
)
def test_rounding_is_judged_by_all_seeds(runs, rounded, holds):
    runs(cell(4, "0.1", "0.1", "0.1", rounded=rounded))
    assert training.rounding_removes_error("layers-T16-L4", 100).holds is holds


def chains(later):
    errors = [["0.2", *([value] * 9)] for value in later]
    return 1, 10, 10, errors, [["0"] * 10] * 3


def test_carried_over_tries_that_differ_are_noticed_and_equal_ones_are_not(runs):
    alone = 1, 10, 1, [[f"0.{20 + number % 3}"] for number in range(30)], [["0"]] * 30
    names = ("layers-T16-L1-tries10", "layers-T16-L1")
    runs(chains(["0.31", "0.32", "0.33"]), alone)
    found = training.carried_over_tries(*names, 10, "0.05")
    assert found.holds is False and found.witness["first"] == ["0.2", "0.2", "0.2"]
    assert len(found.values["independent_means"]) == 3
    runs(chains(["0.20", "0.21", "0.22"]), alone)
    assert training.carried_over_tries(*names, 10, "0.05").holds is True


def test_figures_and_costs_are_made_of_the_records(runs):
    alone = 1, 10, 1, [["0.2"]] * 30, [["0"]] * 30
    runs(chains(["0.3", "0.3", "0.3"]), alone, cell(4, "0.1", "0.1", "0.1"))
    tries = training.curves("tries", ["layers-T16-L1-tries10", "layers-T16-L1"], 10)
    assert [len(curve["y"]) for curve in tries.values["curves"]] == [10, 10, 10, 10]
    positions = training.curves("positions", ["layers-T16-L4"], 100).values["curves"]
    assert positions[0]["y"] == ["2", "4"]
    distances = training.curves("distances", ["layers-T16-L4"], 100).values["curves"]
    assert distances[0]["x"][0] == "-15"
    assert training.cost(["layers"], 10**9).holds is True
    assert training.cost(["layers"], 0).holds is False


def test_a_head_that_looks_at_one_distance_is_noticed(runs):
    runs(cell(4, "0.1", "0.1", "0.1"))
    assert training.attention_is_spread(["layers-T16-L4"], 100, "1").holds is True
    assert training.attention_is_spread(["layers-T16-L4"], 100, "1/2").holds is False


def test_the_committed_records_are_those_of_the_protocol_in_its_order():
    from verify.experiments import plan
    from verify.experiments.settings import from_plain

    found = [from_plain(record["settings"]) for record in summary.committed_records()]
    assert len(found) >= 4 and found == list(plan.COMMITTED[: len(found)])


def test_the_first_try_of_every_seed_counts(runs):
    errors = [["0.1", "0.2"], ["0.3", "0.4"], ["0.5", "0.6"]]
    runs((4, 100, 2, errors, [["0", "1"], ["1", "0"], ["0", "0"]]))
    name = "layers-T16-L4-tries2"
    assert training.errors(name, 100) == [Fraction(x) for x in ("0.1", "0.3", "0.5")]
    assert training.rounding_removes_error(name, 100).values["rounded"] == ["0", "1", "0"]
    drawn = training.curves("tries", [name], 100).values["curves"]
    assert [curve["label"] for curve in drawn] == [f"carried-over, chain {k}" for k in (1, 2, 3)]
    assert drawn[1]["x"] == ["1", "2"] and drawn[1]["y"] == ["0.3", "0.4"]


def test_the_last_cell_is_compared_with_the_first_and_not_with_the_second(runs):
    names = ["layers-T16-L1", "layers-T16-L2", "layers-T16-L4"]
    last = cell(4, "0.01", "0.02", "0.01")
    runs(cell(1, "0.2", "0.3", "0.2"), cell(2, "0.1", "0.25", "0.1"), last)
    assert training.errors_fall(names, 100, "17.5").holds is True
    runs(cell(1, "0.2", "0.3", "0.2"), cell(2, "0.01", "0.02", "0.001"), last)
    assert training.errors_fall(names, 100, "17.5").holds is None
