"""Maps and figures: deterministic, without overlaps, readable in light and in dark."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports_support import made

from reports import render_all
from reports.figures import CURVES, image, inline, standalone
from reports.graph import HEIGHT, WIDTH, Drawing, depths, draw
from reports.labels import GROUND, KINDS, ORDER, VERDICTS, Tone
from reports.maps import maps, unmapped_statements
from reports.view import StatementView, view

Record = dict[str, Any]


@st.composite
def graphs(data: st.DrawFn) -> tuple[list[str], list[tuple[str, str]]]:
    nodes = [f"n{i}" for i in range(data(st.integers(2, 14)))]
    pairs = list(combinations(nodes, 2))
    return nodes, data(st.lists(st.sampled_from(pairs), unique=True, max_size=30))


def overlaps(drawing: Drawing) -> list[tuple[str, str]]:
    return [
        (a.name, b.name)
        for a, b in combinations(drawing.boxes, 2)
        if abs(a.x - b.x) < WIDTH and abs(a.y - b.y) < HEIGHT
    ]


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_boxes_do_not_overlap_and_lie_inside(
    graph: tuple[list[str], list[tuple[str, str]]],
) -> None:
    drawing = draw(*graph)
    assert overlaps(drawing) == []
    for box in drawing.boxes:
        assert 0 <= box.x <= drawing.width - WIDTH
        assert 0 <= box.y <= drawing.height - HEIGHT


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_every_edge_runs_to_the_right(graph: tuple[list[str], list[tuple[str, str]]]) -> None:
    nodes, edges = graph
    depth = depths(nodes, edges)
    assert all(depth[a] < depth[b] for a, b in edges)
    assert draw(nodes, edges) == draw(nodes, edges[::-1])


def test_a_long_edge_does_not_pass_behind_a_box() -> None:
    drawing = draw(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    middle = next(box for box in drawing.boxes if box.name == "b")
    way = next(c.path for c in drawing.curves if (c.source, c.target) == ("a", "c"))
    height = float(way.split("H")[0].split()[-1])
    assert not middle.y <= height <= middle.y + HEIGHT


def test_the_map_joins_numbered_statements_and_shows_standings() -> None:
    (overview,) = maps(view(*made()))
    pairs = {(c.source, c.target) for c in overview.drawing.curves}
    assert pairs == {("def1", "thm1"), ("eq1", "thm2")}
    assert overview.nodes["thm2"].word.name == "repaired"
    assert overview.nodes["def1"].word.name == "well-formed"


def test_a_definition_that_rests_on_an_ill_formed_one_is_called_so_too() -> None:
    data = {
        "form": "definition",
        "verdict": "well-formed",
        "standing": "repaired",
        "rank": "proved",
    }
    assert StatementView(data, (), ()).standing.name == "ill-formed"
    other = {"form": "universal", "verdict": "proved", "standing": "repaired", "rank": "proved"}
    assert StatementView(other, (), ()).standing.name == "repaired"


def test_statements_outside_the_map_are_named() -> None:
    record, certificates = made()
    assert unmapped_statements(view(record, certificates)) == []
    for row in record["statements"]:
        row["rests_on"] = [name for name in row["rests_on"] if name != "eq1"]
    assert [each.id for each in unmapped_statements(view(record, certificates))] == ["eq1"]
    assert (
        b"not on the map: a printed proof may use it"
        in render_all(record, certificates)["index.html"]
    )


FIGURE = {
    "id": "one",
    "title": "A figure",
    "alt": "The ratio rises from 2",
    "xlabel": "T",
    "ylabel": "error / bound ($_$)",
    "xscale": "linear",
    "yscale": "log",
    "series": [
        {"label": "_weight 3 & <b>", "x": ["1", "2"], "y": ["1", "2"], "style": "line"},
        {"label": "printed", "x": ["1", "2"], "y": ["2", "3"], "style": "dashed"},
    ],
}


def test_a_figure_has_its_title_and_alt_text_and_no_trace_of_its_making() -> None:
    svg = inline(FIGURE)
    assert "<title" in svg and "The ratio rises from 2" in svg
    for trace in ("matplotlib v", "<dc:date>", "1970", "<metadata"):
        assert trace not in svg


def test_the_labels_of_a_figure_are_shown_to_the_letter() -> None:
    svg = inline(FIGURE)
    assert ">_weight 3 &amp; &lt;b&gt;</text>" in svg
    assert ">error / bound ($_$)</text>" in svg
    dollars = [{**FIGURE["series"][0], "label": "$T$"}]
    assert ">$T$</text>" in inline({**FIGURE, "series": dollars})


def test_the_legend_names_each_series_in_its_order() -> None:
    svg = inline({**FIGURE, "series": FIGURE["series"][::-1]})
    assert svg.index(">printed</text>") < svg.index(">_weight 3")


def marks(*values: str) -> list[str]:
    """The marks of the logarithmic axis of a curve with these values."""
    series = {"label": "", "style": "line", "x": [f".{k}" for k in range(len(values))]}
    drawn = inline({**FIGURE, "xscale": "linear", "series": [{**series, "y": list(values)}]})
    return [text for text in re.findall(r">([^<>]+)</text>", drawn) if text[0] in "125"]


def test_a_wide_axis_is_marked_at_powers_of_ten_and_a_narrow_one_between_them_too() -> None:
    wide = marks("0.001", "1000")
    assert {"10⁻³", "10⁰", "10³"} <= set(wide) and not any("·" in mark for mark in wide)
    assert {"10", "20", "50", "100"} <= set(marks("9", "140"))
    assert {"2·10⁻⁶", "5·10⁻⁶", "10⁻⁵"} <= set(marks("0.0000015", "0.000015"))


def test_a_very_wide_axis_has_at_most_nine_marks_at_equal_steps_whatever_matplotlib_would_choose():
    assert marks("1e-24", "1e4") == [
        *("10⁻²⁴", "10⁻²⁰", "10⁻¹⁶", "10⁻¹²", "10⁻⁸", "10⁻⁴", "10⁰", "10⁴")
    ]
    assert len(marks("1e-99", "1e99")) <= 9


PATTERNS = {"01100": 0, "11000": 0, "01000": 1, "01010": 2, "10010": 2, "10100": 2, "10000": 1}


def test_a_point_between_zeros_is_marked_for_no_line_shows_it() -> None:
    def marks(pattern: str) -> int:
        """Marks of the axes, of zeros and of lone points."""
        y, x = [*pattern, *"1" * 40], [*map(str, range(len(pattern) + 40))]
        curve = {"label": "", "style": "line", "x": x, "y": y}
        return inline({**FIGURE, "series": [curve]}).count("<use ") - pattern.count("0")

    alone = {pattern: marks(pattern) - marks("1" * 5) for pattern in PATTERNS}
    assert alone == PATTERNS


def test_a_zero_on_a_logarithmic_axis_is_marked_at_its_edge_and_interrupts_the_curve() -> None:
    curve = {"label": "error", "style": "line", "x": ["1", "2", "3"], "y": ["1", "0", "10"]}
    drawn = inline({**FIGURE, "series": [curve]})
    assert ">▽ exactly 0</text>" in drawn
    assert ">▽ exactly 0</text>" not in inline({**FIGURE, "yscale": "linear", "series": [curve]})
    whole = inline({**FIGURE, "series": [{**curve, "y": ["1", "3", "10"]}]})
    assert drawn.count("<use ") == whole.count("<use ")
    curves = [re.findall(r'<path d="([^"]*)" clip-path[^>]*#2f7fbf', svg) for svg in (drawn, whole)]
    assert "L" not in curves[0][0] and "L" in curves[1][0]


def test_two_figures_share_no_id_on_a_page() -> None:
    one, other = (set(re.findall(r'\bid="([^"]+)"', inline({**FIGURE, "id": i}))) for i in "ab")
    assert not one & other


def test_a_figure_takes_its_ink_from_the_page() -> None:
    svg = standalone(inline(FIGURE)).decode()
    assert "currentColor" in svg
    assert "prefers-color-scheme:dark" in svg
    assert "#ffffff" not in svg


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_ink_contrasts_with_every_ground(mode: str) -> None:
    ground = GROUND[mode]
    inks: list[Tone] = [getattr(word, mode) for word in VERDICTS.values()]
    for place in ("page", "card", "sunk"):
        for ink in ("ink", "muted", "accent"):
            assert contrast(ground[ink], ground[place]) >= 4.5, (ink, place)
        for tone in inks:
            assert contrast(tone.ink, ground[place]) >= 4.5, (tone, place)
        assert contrast(ground["focus"], ground[place]) >= 3
    for tone in inks:
        assert contrast(tone.ink, tone.tint) >= 4.5, tone
        assert contrast(ground["ink"], tone.tint) >= 4.5, tone
        assert contrast(ground["card"], tone.ink) >= 4.5, tone


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_curve_contrasts_with_its_card(mode: str) -> None:
    for colour in CURVES:
        assert contrast(colour, GROUND[mode]["card"]) >= 3, colour


def test_the_legend_explains_every_verdict_once() -> None:
    assert sorted(name for names in KINDS.values() for name in names) == sorted(ORDER)


def test_verdicts_of_one_form_differ_by_their_marks() -> None:
    ranks = ("proved", "checked", "measured", "repaired", "refuted", "open", "unchecked", "broken")
    assert set(ranks) < set(ORDER)
    assert len({VERDICTS[name].mark for name in ranks}) == len(ranks)


def test_a_figure_is_drawn_in_three_formats_at_one_size() -> None:
    png, pdf, svg = (image(FIGURE, kind) for kind in ("png", "pdf", "svg"))
    assert png[16:24] == (832).to_bytes(4) + (546).to_bytes(4)  # 6.4 and 4.2 inches of 130 dots
    assert b"CreationDate" not in pdf and b"/MediaBox [ 0 0 460.8 302.4 ]" in pdf
    assert b'viewBox="0 0 460.8 302.4"' in svg and svg.startswith(b"<?xml")
