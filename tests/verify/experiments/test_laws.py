"""Laws of training: settings, grids, data, summaries and figures.

settings   read back from what is written; any changed field gives another name
grids      every cell once, the axes complete; one number for the work of each grid
data       drawn again from the same settings; states are those of the automaton
summaries  the mean lies between the least and the largest error; the printed value is the paper's
figures    every curve has its label
"""

from dataclasses import fields, replace
from fractions import Fraction

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from constructions.core.errors import InputError  # noqa: E402
from verify.experiments import data, figure, plan, store, summary  # noqa: E402
from verify.experiments.settings import Settings, from_plain  # noqa: E402

NAMES = [field.name for field in fields(Settings)]
SMALL = st.integers(1, 40)
runs = st.builds(
    Settings,
    task=st.sampled_from(["layers", "embedding", "pautomac"]),
    length=SMALL,
    layers=SMALL,
    width=SMALL.map(lambda half: 2 * half),
    seeds=st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True).map(tuple),
    problem=SMALL,
    tries=SMALL,
    epochs=SMALL,
    data_seed=SMALL,
    dropout=st.sampled_from(["0", "0.2"]),
    causal=st.booleans(),
)
VALUES = {
    bool: st.booleans(),
    int: st.integers(-2, 50) | st.just(10**10),
    str: st.text(max_size=3) | st.sampled_from(["0", "nan", "1e9", "relu", "layers"]),
    list: st.lists(st.integers(-1, 3), max_size=3),
}


@given(runs)
def test_settings_are_read_back(run):
    assert from_plain(run.plain()) == run
    assert run.name.startswith(f"{run.cell}-")


@given(runs, runs)
def test_settings_with_a_changed_field_have_another_name(run, other):
    for name in NAMES:
        changed = replace(run, **{name: getattr(other, name)})
        assert (changed.name == run.name) is (changed == run)


@given(runs, st.sampled_from(NAMES), st.data())
def test_settings_are_read_or_refused_by_an_input_error(run, name, drawn):
    value = drawn.draw(VALUES[type(run.plain()[name])])
    try:
        assert from_plain(run.plain() | {name: value}).plain()[name] == value
    except InputError as error:
        assert name in str(error) and "\n" not in str(error)


WORK = {
    ("layers", "quick"): (3, 6, 143_360_000),
    ("layers", "paper"): (30, 300, 39_424_000_000),
    ("embedding", "quick"): (2, 2, 148_480_000),
    ("embedding", "paper"): (24, 240, 21_196_800_000),
    ("pautomac", "quick"): (1, 1, 57_344_000),
    ("pautomac", "paper"): (50, 500, 215_040_000_000),
}


@pytest.mark.parametrize("grid", WORK, ids=str)
def test_the_cells_the_runs_and_the_work_of_a_grid(grid):
    axes = plan.grid(*grid)
    cells = plan.cells(grid[0], axes)
    assert len({cell.name for cell in cells}) == len(cells)
    assert (len(cells), sum(len(c.seeds) for c in cells), sum(c.cost for c in cells)) == WORK[grid]
    for name, axis in (("length", axes.lengths), ("layers", axes.layers), ("width", axes.widths)):
        assert {getattr(cell, name) for cell in cells} == set(axis)


def test_the_cells_of_the_protocol_and_their_work():
    assert [(run.cell, run.epochs, run.seeds) for run in plan.COMMITTED] == [
        ("layers-T16-L1", 100, (0, 1, 2)),
        ("layers-T16-L2", 100, (0, 1, 2)),
        ("layers-T16-L1-tries10", 10, (0, 1, 2)),
        ("layers-T16-L1", 10, tuple(range(100, 130))),
        ("layers-T16-L4", 100, (0, 1, 2)),
        ("layers-T32-L1", 100, (0, 1, 2)),
        ("embedding-k2-d8", 100, (0, 1, 2)),
        ("embedding-k2-d4", 100, (0, 1, 2)),
        ("layers-T32-L2", 100, (0, 1, 2)),
    ]
    assert sum(run.cost * run.epochs for run in plan.COMMITTED) == 87_552_000_000
    assert {(run.dropout, run.rate, run.batch, run.examples) for run in plan.COMMITTED} == {
        ("0.2", "0.001", 32, 10_000)
    }


@settings(max_examples=30)
@given(runs, st.integers(1, 3), st.integers(1, 6))
def test_data_are_drawn_again_and_states_are_counts(run, counted, length):
    machine = data.counting(counted, counted + 1)
    one, same = (data.sample(run, machine, 4, length, stream=0) for _ in range(2))
    assert torch.equal(one.words, same.words) and torch.equal(one.states, same.states)
    if run.targets == "plain" and run.task != "pautomac":
        for word, states in zip(one.words.tolist(), one.states.tolist(), strict=True):
            counts = [word.count(letter) for letter in range(counted)]
            assert states[-1][:counted] == counts and states[-1][counted] == 1


@given(st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_mean_lies_between_the_least_and_the_largest_error(errors):
    result = {"mse": [[str(e) for e in row] for row in errors], "rounded": [["0"]], "baseline": "7"}
    cell = summary.Cell(Settings("layers", 16, 2, 16, seeds=(0,)), result)
    flat = [error for row in errors for error in row]
    row = cell.row()
    assert row["runs"] == str(len(flat))
    assert (
        Fraction(row["minimum"]) == min(flat) <= cell.mean <= max(flat) == Fraction(row["maximum"])
    )
    assert (row["printed"], row["printed_deviation"]) == ("0.020226", "0.01240")
    assert (cell.deviation is None) is (len(flat) == 1)


@given(runs, st.sampled_from(["result", "clock", "settings"]), st.integers(1, 9))
@settings(max_examples=30)
def test_a_stored_run_is_read_back_and_a_changed_one_is_refused(tmp_path_factory, run, part, more):
    folder = tmp_path_factory.mktemp("runs")
    record = {"settings": run.plain(), "result": {"mse": [["1"]]}, "clock": {}}
    path = store.write(folder, record)
    assert store.read(path) == record and store.pending_cells(folder, [run]) == []
    whole = path.read_text("utf-8")
    path.write_text(whole.replace(f'"{part}": {{', f'"{part}": {{"more": {more}, ', 1), "utf-8")
    with pytest.raises(InputError):
        store.read(path)


@pytest.mark.parametrize("task", ["layers", "embedding", "pautomac"])
def test_every_curve_has_its_label_and_the_printed_values_beside_ours(task):
    result = {"mse": [["0.5", "0.25"]], "rounded": [["0", "1"]], "baseline": "7"}
    cells = [summary.Cell(cell, result) for cell in plan.cells(task, plan.grid(task, "paper"))][:12]
    labels = figure.curves(cells)
    assert sum(map(len, labels.values())) == len(cells)
    drawn = {series["label"]: series for series in figure.figure(task, cells)["series"]}
    for label, curve in labels.items():
        places = [str(figure.abscissa(cell)) for cell in curve]
        assert drawn[f"{label}, ours"]["x"] == places
        beside = {str(figure.abscissa(c)): c.printed.mean for c in curve if c.printed}
        printed = drawn.get(f"{label}, printed", {"x": [], "y": []})
        assert dict(zip(printed["x"], printed["y"], strict=True)) == beside
