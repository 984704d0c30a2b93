"""`assay explain`: where what is long is cut, and where everything stands in the figure."""

import json
from fractions import Fraction

import pytest

from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.files.reader import to_json
from verify.automaton.explanation import Row, affordable, estimate
from verify.cli import main
from verify.commands import explain

ROWS = [
    Row(0, 0, "<bos>", {}, "I", []),
    Row(0, 1, "$a", {}, "A[a]", []),
    Row(1, 0, "of layer 1", {"back": [0]}, "I", []),
    Row(1, 1, "of layer 1", {"back": [0], "near": [1], "mean": [0, 1]}, "A[a]", []),
]


@pytest.fixture
def figure(monkeypatch):
    """The figure that is drawn of these rows."""
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(explain, "saved", lambda figure, form: drawn.append((figure, form)) or b"")
    explain.drawn(ROWS, "png")
    ((found, form),) = drawn
    assert form == "png"
    return found


def test_a_figure_has_room_for_its_labels_and_layers(figure):
    """One step to the right of 0.4 inches, and 0.075 for each of four letters; one layer of 0.9."""
    assert [*figure.get_size_inches()] == pytest.approx([2 + 0.4 + 0.3, 1.6 + 0.9])
    (axes,) = figure.axes
    assert axes.get_xlim() == pytest.approx((-0.3, 1.9))
    assert axes.get_ylim() == pytest.approx((-0.3, 1.5))
    assert {name: spine.get_visible() for name, spine in axes.spines.items()} == {
        "left": True, "bottom": True, "top": False, "right": False,
    }  # fmt: skip


def test_the_axes_name_tokens_and_layers(figure):
    (axes,) = figure.axes
    assert [*axes.get_xticks()] == [*axes.get_yticks()] == [0, 1]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["<bos>", r"\$a"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["embedding", "layer 1"]


def test_every_position_has_a_dot_and_a_label(figure):
    (axes,) = figure.axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [(*line.get_xdata(), *line.get_ydata()) for line in dots] == [
        *((0, 0), (1, 0), (0, 1), (1, 1))
    ]
    assert {(line.get_color(), line.get_markersize(), line.get_zorder()) for line in dots} == {
        ("black", 4, 3)
    }
    assert [text.get_text() for text in axes.texts] == ["I", "A[a]"] * 2
    for text, place in zip(axes.texts, [(0, 0), (1, 0), (0, 1), (1, 1)], strict=True):
        assert (text.xy, text.xyann, text.anncoords) == (place, (4, 5), "offset points")
        assert (text.get_size(), text.get_zorder()) == (8, 2)
        box = text.get_bbox_patch()
        assert box.get_alpha() == 0.8 and box.get_boxstyle().pad == 0.06  # half a point of 8


def test_a_line_leads_from_each_position_to_the_one_that_is_read_pale_where_that_is_bos(figure):
    """None from BOS, and none of a head that reads several."""
    (axes,) = figure.axes
    lines = [line for line in axes.lines if line.get_marker() != "o"]
    ends = [([*line.get_xdata()], [*line.get_ydata()]) for line in lines]
    assert ends == [([0, 1], [0, 1]), ([1, 1], [0, 1]), ([], []), ([], [])]
    assert [line.get_color() for line in lines] == ["C0", "C1"] * 2
    assert [line.get_alpha() for line in lines[:2]] == [0.4, None]
    assert {line.get_linewidth() for line in lines[:2]} == {0.9}


def test_the_legend_stands_below_in_three_columns_without_a_frame(figure):
    (axes,) = figure.axes
    legend = axes.get_legend()
    texts = legend.get_texts()
    assert [text.get_text() for text in texts] == ["head “back” reads", "head “near” reads"]
    assert {text.get_size() for text in texts} == {8}
    assert legend._ncols == 3 and not legend.get_frame_on()
    place = legend.get_bbox_to_anchor().transformed(axes.transAxes.inverted())
    assert (place.x0, place.y0) == pytest.approx((0.5, -0.1))


def test_what_is_longer_than_24_characters_is_cut_to_24_in_a_figure():
    assert explain._label(Row(0, 0, "", {}, "x" * 24, [])) == "x" * 24
    assert explain._label(Row(0, 0, "", {}, "x" * 25, [])) == "x" * 23 + "…"


def test_a_number_of_more_than_400_characters_is_shown_by_its_first_24():
    assert explain._short("1" * 400) == "1" * 400
    assert explain._short("12345" * 81) == "123451234512345123451234… (405 characters)"


@pytest.mark.parametrize(
    ("count", "listed"),
    [(12, "a, b, c, d, e, f, g, h, i, j, k, l"), (13, "a, b, c, d, e, f, g, h, i, j, k, l and 1 more")],
)  # fmt: skip
def test_twelve_symbols_are_listed_and_further_ones_counted(count, listed):
    known = [chr(ord("a") + k) for k in range(count)]
    assert explain._expected(known) == f"a symbol of {listed}"
    assert explain._expected([*known[:2], "long"]) == (
        "symbols separated by spaces, each one of a, b, long"
    )


def test_numbers_are_rounded_to_the_digits_that_are_asked_for():
    assert explain.rounded("2/3", None) == "2/3"
    assert [explain.rounded(text, 3) for text in ("2/3", "-7", "20000/3")] == [
        *("0.667", "-7", "6.67e+3")
    ]


@pytest.mark.parametrize(("count", "status"), [("1000", 0), ("1001", 4)])
def test_up_to_a_thousand_digits_can_be_asked_for(count, status, tmp_path, capsys):
    file = tmp_path / "wfa.json"
    file.write_text(to_json(counting()))
    assert main(["explain", str(file), "--word", "0", "--digits", count]) == status


def test_where_several_are_read_the_first_and_the_last_are_named():
    assert explain._places(5, [1, 2, 4]) == "positions 1–4"
    assert explain._places(5, [2]) == "position 2 (3 back)"
    assert explain._places(5, [5]) == "position 5 (itself)"
    assert explain._places(0, [0]) == "position 0 (BOS, itself)"


def test_seconds_are_estimated_by_products_and_by_the_digits_that_they_may_have():
    """Words: 5 letters, 3 layers, 8 products of numbers with 5 (3 + 2) bits; log₁₀ 2 = 0.30103."""
    words = WFA.of([1, 1], {"a": [["7/2", 0], [0, -1]], "b": [["99/7", 0], [0, 0]]}, [1, 1])
    steps, places = 5 * 3 * 8 * 1e-4, 5 * 3
    digits = places * 8 * 3e-8 * 5 * (3 + 2) * 0.3010299956639812
    assert estimate(words, "aaaaa") == pytest.approx(steps + digits, rel=1e-12)
    both = places * 8 * 3e-8 * 5 * (7 + 4) * 0.3010299956639812
    assert estimate(words, "aaaab") == pytest.approx(steps + both, rel=1e-12)
    assert estimate(words, "") == 0


def test_of_a_tree_only_leaves_and_their_states_count():
    """[a[bb]]: 7 tokens, 3 layers, 3 leaves, of 6 factors; weights up to 5, denominators 6: 3 + 3 bits."""
    tree = WTA.of([1], [[["5/2"]]], {"a": ["1/3"], "b": [1]})
    wanted = 7 * 3 * 1e-4 + 3 * 3e-8 * 6 * (3 + 3) * 0.3010299956639812
    assert estimate(tree, "[a[bb]]") == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("seconds", "letters", "refused"), [
    (60.0, 9, False), (60.1, 9, True), (60.1, 256, True), (60.1, 257, False),
])  # fmt: skip
def test_what_takes_more_than_a_minute_is_refused(seconds, letters, refused, monkeypatch):
    """A word that is too long in any case is refused for its length, elsewhere."""
    monkeypatch.setattr("verify.automaton.explanation.estimate", lambda *_: seconds)
    if refused:
        with pytest.raises(InputError, match=f"2 states, {letters} symbols, about 60 s"):
            affordable(counting(), "0" * letters)
    else:
        affordable(counting(), "0" * letters)


def test_a_library_counts_its_blocks_from_0_behind_the_embedding():
    places = ("start", "weights.{}", "stream.{}")
    assert explain.located(0, places) == {"block": None, "reads_at": None, "holds_at": "start"}
    assert explain.located(3, places) == {
        "block": 2, "reads_at": "weights.2", "holds_at": "stream.2",
    }  # fmt: skip
    assert explain.located(3, None) == {}


def test_a_weight_of_a_tree_is_that_of_its_root():
    tree = WTA.of([2], [[[3]]], {"a": [5], "b": ["1/7"]})
    said = explain.result(tree, list("[a[ab]]"))
    assert said == f"State of the tree: 225/7. Its weight: f = {Fraction(450, 7)}."


def test_theorem_1_is_explained_by_its_products(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "thm1", "--length", "4", "--plot", "contents.svg"]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["4", "A₄", "A₃A₄", "A₁A₂A₃A₄"] in rows and ["-3", "I", "A₄", "A₂A₃A₄"] in rows
    assert "8 monomials: A1[1,1]·A2[1,1]·A3[1,1]·A4[1,1] + " in " ".join(out.split())
    assert "after layer 2" in (tmp_path / "contents.svg").read_text()
    assert main(["explain", "thm1", "--length", "3", "--states", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"][-1][-1] == ["A1[1,1]·A2[1,1]·A3[1,1]"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["thm1"], "--length"),
        (["thm1", "--length", "17"], "--length"),
        (["thm1", "--length", "12", "--states", "3"], "--states"),
        (["thm1", "--length", "4", "--plot", "a.png"], "--plot"),
        (["missing.json", "--length", "4"], "--length"),
        (["missing.json"], "--word"),
    ],
)
def test_what_theorem_1_cannot_be_asked_is_one_line(arguments, field, capsys):
    assert main(["explain", *arguments]) == 4
    message = capsys.readouterr().err
    assert field in message and message.count("\n") == 1
