"""Where commands begin to refuse, what they reckon beforehand, and what their plots are given, by hand."""

import argparse
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import pytest

from constructions.automata.trees import comb, tokens
from constructions.core.errors import InputError
from verify import cli
from verify.commands import automaton, draw, experiment, list_, needed, precision, zoo
from verify.display import arguments, terminal
from verify.display.progress import Progress
from verify.display.screen import Screen

LENGTHS = {
    "2:1024": [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], "5": [5], "3:13": [3, 6, 12], "8:8": [8],
    "3:12": [3, 6, 12], "1:4": None, "2:1025": None, "4:3": None,
}  # fmt: skip


@pytest.mark.parametrize("text", LENGTHS)
def test_lengths_double_from_2_to_1024(text):
    if LENGTHS[text] is None:
        with pytest.raises(InputError, match="A:B with 2 ≤ A ≤ B ≤ 1024"):
            needed.lengths(text)
    else:
        assert needed.lengths(text) == LENGTHS[text]


@pytest.fixture
def drawn(monkeypatch):
    """The figures that are drawn, with their kinds, in place of the drawings."""
    found = []
    monkeypatch.setattr("reports.figures.image", lambda *given: found.append(given) or b"")
    return found


def test_both_constants_are_drawn_against_the_length(drawn):
    rows = [SimpleNamespace(length=t, circle=Fraction(t, 2), decoder=Fraction(t)) for t in (4, 8)]
    needed.plot(rows, "pdf")
    ((figure, form),) = drawn
    assert form == "pdf" and "from 4 to 8" in figure["alt"]
    assert [(each["x"], each["y"]) for each in figure["series"]] == [
        (["4", "8"], ["2.0", "4.0"]), (["4", "8"], ["4.0", "8.0"]),
    ]  # fmt: skip


def test_errors_that_are_numbers_above_0_are_drawn_where_there_are_two(drawn):
    points = [(1, "0"), (2, None), (4, "1e-3"), (8, "2e-3")]
    assert precision.curve("c", points, "line") == {
        "label": "c", "x": ["4", "8"], "y": ["1e-3", "2e-3"], "style": "line",
    }  # fmt: skip
    row = lambda model, form, t, error: SimpleNamespace(  # noqa: E731
        model=model, format=form, length=t, absolute=error
    )
    sizes = [SimpleNamespace(length=t, greatest=str(t)) for t in (1, 2)]
    rows = [row(*key, t, f"{t}e-9") for key in (("exact", "float64"), ("decoder", "float32"), ("gpt2", "x"))
            for t in (1, 2)]  # fmt: skip
    rows.append(row("exact", "float16", 1, "1"))
    precision.plot(SimpleNamespace(rows=rows, sizes=sizes, sentence="It is."), "png")
    ((figure, _),) = drawn
    assert [each["label"] for each in figure["series"]] == [
        *("exact, float64", "decoder, float32", "greatest state")
    ]
    assert figure["series"][0]["y"] == ["1e-9", "2e-9"] and figure["series"][2]["y"] == ["1", "2"]


def test_lengths_of_precision_are_two_numbers_or_one():
    assert precision.ends("1:64") == (1, 64) and precision.ends("7") == (7, 7)
    for text in ("0:4", "a:4", "1:-2"):
        with pytest.raises(InputError, match="two whole numbers ≥ 1"):
            precision.ends(text)


def test_an_answer_is_estimated_by_its_letters_and_the_cubes_of_its_states():
    seconds, size = automaton.estimate(64, 3)
    assert seconds == pytest.approx(3 * (0.0625 + 4e-4)) and size == "64 states and 3 symbols"


@pytest.mark.parametrize(
    ("text", "states"), [("2:8", (2, 8)), ("3", (3, 3)), ("2:9", None), ("5:4", None)]
)
def test_a_zoo_has_automata_of_up_to_eight_states(text, states):
    if states is None:
        with pytest.raises(InputError, match="A:B with A ≤ B ≤ 8"):
            zoo.range_of_states(text)
    else:
        assert zoo.range_of_states(text) == states


def test_a_zoo_has_up_to_a_thousand_automata_of_three_kinds_in_turn():
    names = zoo.random_names((2, 5), 1000, 7)
    random = Random(7)
    wanted = [f"{random.randint(2, 5)}:{random.randrange(1_000_000_000)}" for _ in range(1000)]
    assert names == [f"{('hmm', 'pfa', 'random')[i % 3]}:{rest}" for i, rest in enumerate(wanted)]
    with pytest.raises(InputError, match="found 1001, expected at most 1000"):
        zoo.random_names((2, 5), 1001, 7)


def test_a_drawing_takes_up_to_200000_scores_unless_it_is_asked_for(capsys):
    """One opening bracket: as many scores as the length."""
    symbols = tuple("[ab]")
    assert draw.chosen_length(None, symbols, False) == draw.chosen_length("4", symbols, False) == 4
    assert draw.chosen_length("200000", symbols, False) == 200000
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="200001: 200001 exact scores, about 20 s"):
        draw.chosen_length("200001", symbols, False)
    assert draw.chosen_length("209999", symbols, True) == 209999
    assert capsys.readouterr().err == "209999 exact scores, about 20 s\n"
    with pytest.raises(InputError, match="at least 4, the tree's own length"):
        draw.chosen_length("3", symbols, False)


@pytest.mark.parametrize(("leaves", "status"), [(40, 0), (41, 4)])
def test_a_tree_of_up_to_120_tokens_is_drawn(leaves, status, monkeypatch, capsys):
    """That of 40 leaves has 118, that of 41 has 121."""
    monkeypatch.setattr(draw, "draw", lambda *_: "")
    text = "".join(tokens(comb(["a"] * leaves)))
    assert cli.main(["draw", text]) == status
    assert status == 0 or "121 tokens, expected at most 120" in capsys.readouterr().err


@pytest.mark.parametrize(("size", "shown"), [(300, "x" * 300), (301, "x" * 300 + "…")])
def test_a_complaint_has_at_most_300_characters(size, shown, capsys):
    with pytest.raises(SystemExit):
        cli.Parser(prog="p").error("x" * size)
    assert capsys.readouterr().err == f"p: {shown} (see p --help)\n"
    name = "ValueError: "
    assert cli._faulty(ValueError("x" * (size - len(name)))) == 70
    cut = f"{name}{'x' * (300 - len(name))}{'…' * (size > 300)}"
    assert f"please report it: {cut} (ASSAY_DEBUG" in capsys.readouterr().err


@pytest.mark.parametrize(("columns", "width"), [("200", 80), ("60", 60), ("20", 40)])
def test_a_paragraph_is_as_wide_as_the_terminal_from_40_to_80(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    first, *others = terminal.paragraph("says", "x " * 200).splitlines()
    assert first.startswith("  says     x x") and all(
        line.startswith(" " * 11 + "x") for line in others
    )
    assert len(others) > 1 and width - 1 <= len(first) == len(others[0]) <= width


def test_a_minute_is_patience_and_no_more(capsys):
    arguments.check_patience(60, "large", False, "file")
    arguments.check_patience(61, "large", True, "file")
    with pytest.raises(
        InputError, match="large, about 61 s, expected at most about 60 s, or --large"
    ):
        arguments.check_patience(61, "large", False, "file")


@pytest.mark.parametrize(("seconds", "said"), [(2.0, ""), (2.1, "of about 2 s")])
def test_an_estimate_of_more_than_two_seconds_is_announced(seconds, said):
    bar = Progress(Screen(stderr=True), "stage", seconds)._bar
    assert bar.columns[-1].text_format == said
    assert bar.live.transient and not bar.live._redirect_stdout and not bar.live._redirect_stderr
    assert bar.tasks[0].description == "stage …" and bar.tasks[0].total is None


def test_lists_of_numbers_have_up_to_six_digits_each():
    assert experiment.numbers("1, 2,999999,") == (1, 2, 999999)
    for text in ("", ",", "1,x", "1000000", "-1"):
        with pytest.raises(argparse.ArgumentTypeError, match="whole numbers such as 1,2,4"):
            experiment.numbers(text)


@pytest.mark.parametrize(("option", "most"), [("jobs", 256), ("budget", 10**6)])
def test_an_experiment_has_limits_of_its_jobs_and_its_minutes(option, most, monkeypatch, tmp_path):
    """What is within them goes on to the folder of the results."""

    class Reached(Exception):
        """The limits are kept."""

    def announced(*_):
        raise Reached

    monkeypatch.setattr(experiment, "announce", announced)
    monkeypatch.setattr(experiment, "planned", lambda args: [])
    given = {"name": "layers", "out": tmp_path, "jobs": 1, "budget": 1, "pautomac": None}
    for value in (1, most):
        with pytest.raises(Reached):
            experiment.main(argparse.Namespace(**{**given, option: value}))
    for value in (0, most + 1):
        with pytest.raises(InputError, match=f"--{option}: .*a whole number from 1 to {most}"):
            experiment.main(argparse.Namespace(**{**given, option: value}))


class Bars:
    """What a display tells of its tasks."""

    def __init__(self):
        self.console, self.told = SimpleNamespace(is_terminal=False, print=self.said), []

    def add_task(self, name, total):
        self.told.append((name, total))
        return name

    def update(self, task, advance, description):
        self.told.append((task, advance, description))

    def advance(self, task):
        self.told.append((task, 1))

    def said(self, text):
        self.told.append(text)


def test_the_work_of_a_plan_is_the_cost_of_its_epochs_over_all_tries():
    bars = Bars()
    cells = [SimpleNamespace(cost=12, epochs=5, tries=3, cell="a", seeds=(0, 1)),
             SimpleNamespace(cost=7, epochs=2, tries=1, cell="b", seeds=(0,))]  # fmt: skip
    display = experiment.Display(bars, cells)
    display.epoch(SimpleNamespace(settings=cells[0], error=0.125))
    display.finished(cells[1])
    assert bars.told == [
        ("training", 74), ("cells", 2), ("training", 4, "a, 2 seeds: 0.12"), ("cells", 1), "finished b",
    ]  # fmt: skip


def test_no_cell_is_begun_after_the_time_is_over(monkeypatch, tmp_path):
    """The clock stands at 0 when it begins, then at 60, then at 61 of 60 seconds."""
    clock, trained, said = iter((0, 60, 61)), [], []
    cells = [SimpleNamespace(cell=name) for name in "abc"]
    monkeypatch.setattr(experiment.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(experiment.store, "pending_cells", lambda out, cells: cells)
    monkeypatch.setattr(experiment, "train", lambda *given, jobs: trained.append((given[1], jobs)))
    experiment.train_within(SimpleNamespace(print=said.append), cells, tmp_path, 60)
    assert trained == [([cells[0]], 1)]
    assert said == ["The budget is over: b and what follows are not trained."]


def test_sections_follow_the_paper_numbers_then_letters_then_names():
    sections = ["Abstract", "B.10", "10", "2.1", "B.2", "A", "2", "1"]
    rows = [{"section": name} for name in sections]
    assert [row["section"] for row in sorted(rows, key=list_._place)] == [
        *("1", "2", "2.1", "10", "A", "B.2", "B.10", "Abstract")
    ]


def test_a_section_has_its_subsections_and_no_other_field_has():
    row = {"section": "2.1", "form": "a.b"}
    assert list_._within(row, "section", "2") and not list_._within(row, "section", "2.1.1")
    assert not list_._within({"section": "21"}, "section", "2") and not list_._within(
        row, "form", "a"
    )


def test_a_line_is_cut_where_a_terminal_is_too_narrow_for_it():
    rows = [{"id": "a", "section": "1", "verdict": "proved", "grade": "", "title": "Title"},
            {"id": "bcd", "section": "10", "verdict": "repaired", "grade": "slip", "title": "T"}]  # fmt: skip
    whole = ["a   1  proved          Title", "bcd 10 repaired (slip) T"]
    assert [*list_.lines(rows, None)] == [*list_.lines(rows, len(whole[0]))] == whole
    assert [*list_.lines(rows, len(whole[0]) - 1)] == ["a   1  proved          Tit…", whole[1]]
