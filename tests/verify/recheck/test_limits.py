"""What is still read and what is refused: each limit from both sides."""

from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest

from verify.recheck import errors, files, pages
from verify.recheck.declarations import Different, rational
from verify.recheck.errors import Refused, Unreadable
from verify.recheck.kinds import budget, decoders, free_algebra, saturation, soft_attention, units

READ = {
    "C": (soft_attention.constant, "16384", "16385"),
    "C above 0": (soft_attention.constant, "1/1000000", "0"),
    "a weight": (soft_attention.weight, "16", "161/10"),
    "a negative weight": (soft_attention.weight, "-16", "-161/10"),
    "a weight's denominator": (soft_attention.weight, "1/1000", "1/1001"),
    "a tolerance": (saturation.tolerance, "1", "101/100"),
    "a small tolerance": (saturation.tolerance, "1/1000000000000", "1/1000000000001"),
    "a decimal": (rational, "0." + "1" * 38, "0." + "1" * 39),
    "a fraction": (errors.fraction, "1" * 4000, "1" * 4001),
    "three decimals": (decoders._decimal, "0.001", "0.000"),
    "no fewer decimals": (decoders._decimal, "7.125", "7.12"),
}


@pytest.mark.parametrize("name", READ)
def test_a_number_is_read_up_to_its_limit(name):
    read, last, beyond = READ[name]
    assert read(last) == Fraction(last)
    with pytest.raises(Refused):
        read(beyond)


@pytest.mark.parametrize("size", [1, 16])
def test_words_of_one_state_have_one_to_sixteen_letters(size):
    letters = {"a": Fraction(1, 2), "b": Fraction(-3)}
    largest, tokens = soft_attention.one_state(letters, "ab" * (size // 2) + "a" * (size % 2))
    assert largest == 3 and len(tokens) == size and tokens[0] == (Fraction(1, 2),)
    for word in ("", "a" * 17, "ac"):
        with pytest.raises(Refused, match="1 to 16 letters"):
            soft_attention.one_state(letters, word)


@pytest.mark.parametrize(
    "given",
    [[], {}, {letter: [["1"]] for letter in "abcde"}, {"a": [["1"], ["1"]]}, {"a": "1"},
     {"a": [["1", "0", "0"]] * 3}, {"a": [["1"]], "b": [["1", "0"], ["0", "1"]]}, {"a": ["1"]}],
)  # fmt: skip
def test_transitions_are_matrices_of_one_size_of_at_most_two_states(given):
    read = soft_attention.transitions
    assert len(read({letter: [["1"]] for letter in "abcd"})) == 4
    assert soft_attention.order(read({"a": [["1", "0"], ["0", "2"]]})) == 2
    with pytest.raises(Refused, match="transitions"):
        read(given)


@pytest.mark.parametrize(("letters", "length", "fits"), [(2, 6, True), (2, 7, False), (4, 3, True)])
def test_at_most_64_words_are_run_again(letters, length, fits, monkeypatch):
    monkeypatch.setattr(soft_attention, "corrected_sides", lambda _: [])
    monkeypatch.setattr(
        soft_attention, "Model", lambda *_: SimpleNamespace(n=1, layers=lambda _: [])
    )
    asked = {"transitions": {letter: [["1/2"]] for letter in "abcd"[:letters]}, "length": length,
             "constants": ["4"]}  # fmt: skip
    if fits:
        assert soft_attention.all_words(asked, {}).values == {"words": letters**length}
    else:
        with pytest.raises(Refused, match="more than 64 words"):
            soft_attention.all_words(asked, {})


def test_an_expression_of_400_characters_is_read_and_no_longer_one():
    assert free_algebra.expanded("A" + " " * 399)
    with pytest.raises(Refused, match="expected letters"):
        free_algebra.expanded("A" + " " * 400)
    twelve = "(A + B) " * 12
    assert sum(free_algebra.expanded(twelve).values()) == 4096
    with pytest.raises(Refused, match="more than 4096 words"):
        free_algebra.expanded(twelve + "(A + B)")


@pytest.mark.parametrize(
    ("text", "because"),
    [("A )", "was not expected"), ("(A", "not closed"), ("A +", "a letter is missing"),
     ("+ A", "a letter is missing"), ("A 2", "expected letters"), ("A ( )", "a letter is missing")],
)  # fmt: skip
def test_expressions_that_are_none_are_refused_with_the_reason(text, because):
    with pytest.raises(Refused, match=because):
        free_algebra.expanded(text)
    assert free_algebra.expanded("A - (B - A)") == {("A",): 2, ("B",): -1}


def test_lists_have_at_most_200_entries_unless_they_say_otherwise():
    assert len(Different((1, 1000)).read("n", list(range(1, 201)))) == 200
    with pytest.raises(Refused, match="1 to 200 entries"):
        Different((1, 1000)).read("n", list(range(1, 202)))


def test_messages_are_short_and_one_line():
    assert errors.abbreviate("x" * 118) == repr("x" * 118)
    assert errors.abbreviate("x" * 119) == "'" + "x" * 116 + "..."
    assert errors.one_line(ValueError("y" * 600)) == "y" * 600
    assert errors.one_line(ValueError("y" * 601)) == "y" * 597 + "..."
    assert errors.one_line(ValueError("a\nb\x1b")) == "a\\nb\\x1b"


def test_files_are_read_up_to_their_size_and_their_depth(tmp_path, monkeypatch):
    assert files.LARGEST_FILE == 64 * 1024 * 1024
    (tmp_path / "record.json").write_bytes(b"{}" + b" " * 8)
    monkeypatch.setattr(files, "LARGEST_FILE", 10)
    assert files._content(tmp_path, "record.json")
    monkeypatch.setattr(files, "LARGEST_FILE", 9)
    with pytest.raises(Unreadable, match="found 10 bytes, expected at most 9"):
        files._content(tmp_path, "record.json")
    nested = lambda depth: b'{"a": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"  # noqa: E731
    assert files.parse(nested(40))
    with pytest.raises(Unreadable, match="nested more than 40 deep"):
        files.parse(nested(41))


@pytest.mark.parametrize(
    "text", [b"[]", b"{", b'{"a": 1.5}', b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff"]
)
def test_what_is_no_object_of_whole_numbers_and_texts_is_unreadable(text):
    with pytest.raises(Unreadable):
        files.parse(text)


@pytest.mark.parametrize("body", ['{"schema": "s"}', '{"schema": "s", "files": {"a": 1}}',
                                  '{"schema": "s", "files": []}'])  # fmt: skip
def test_data_that_a_report_carries_along_are_texts_by_name(body, tmp_path, monkeypatch):
    monkeypatch.setattr(files.schemas, "PAPER", "s")
    assert files.carried_data(tmp_path) is None
    (tmp_path / files.CARRIED).write_text(body)
    with pytest.raises(Unreadable, match="no files by name"):
        files.carried_data(tmp_path)
    (tmp_path / files.CARRIED).write_text('{"schema": "s", "files": {"a": "text"}}')
    assert files.carried_data(tmp_path) == {"a": "text"}
    (tmp_path / files.CARRIED).write_text('{"schema": "t", "files": {}}')
    with pytest.raises(Unreadable, match="expected s"):
        files.carried_data(tmp_path)


def test_drawings_may_differ_in_the_last_digits_of_their_numbers():
    page = b'<p>7</p><svg><path d="M 1.000000 2"/><use id="-p0123456789"/></svg>'
    near = page.replace(b"1.000000", b"1.000100")
    far = page.replace(b"1.000000", b"1.000101")
    other = page.replace(b"-p0123456789", b"-pabcdefabcd")
    assert Decimal("0.0001") == pages.LAST_DIGITS
    assert pages._same_lines(near, page) and not pages._same_lines(far, page)
    assert pages._same_lines(other, page)
    assert not pages._same_lines(page.replace(b" 2", b""), page)
    assert pages.same_page("a.html", near, page) and not pages.same_page("a.html", far, page)
    for changed in (page.replace(b"<p>7", b"<p>8"), page.replace(b"path d", b"path style")):
        with pytest.raises(Refused, match=r"a\.html"):
            pages.same_page("a.html", changed, page)


def test_errors_of_products_are_taken_within_the_interval_of_the_derivatives():
    """h (p + q) is at most 1/100; the remainder grows with the fourth powers."""
    smooth = budget.Smooth({"bits": 8, "scale": "-1"})
    size = Fraction(128, 100)
    assert smooth.error(size, size) > smooth.error(size / 2, size / 2) > 0
    with pytest.raises(Refused, match="leaves its interval"):
        smooth.error(size, size + Fraction(1, 1000))
    p, q = Fraction(1), Fraction(1, 2)
    powers = 2 * p**4 + 12 * p**2 * q**2 + 2 * q**4
    least = smooth.fourth * smooth.step**4 * powers / 12 + smooth.slope * p * q
    assert least <= smooth.error(p, q) <= least * (1 + Fraction(1, 2**100))


@pytest.mark.parametrize("radius", ["1000", "1/1000"])
def test_units_are_read_at_the_ends_of_their_ranges(radius):
    for point in ("4", "-4"):
        stated = {"point": point, "step": "1", "scale": "1"}
        assert units.four_units(stated, "tanh", Fraction(radius)) > 0


ENTRY = {"query": [], "key": [], "value": [[0, 0, "1"]]}
FORMS = {"left": [], "right": [], "output": []}
RECURSION = {"tokens": 2, "saturation": 1, "sizes": ["1"], "embedded": ["1"], "renewed": [0, 1],
             "smooth": {"bits": 1, "scale": "1"}}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "read"),
    [({"tokens": 4096}, True), ({"tokens": 4097}, False), ({"tokens": 1}, False),
     ({"saturation": 1 << 20}, True), ({"saturation": (1 << 20) + 1}, False),
     ({"saturation": 0}, False), ({"sizes": [], "embedded": []}, False), ({"sizes": ["-1"]}, False),
     ({"embedded": ["1", "1"]}, False), ({"embedded": []}, False), ({"renewed": [2]}, False),
     ({"renewed": [-1]}, False), ({"renewed": [0, 0]}, False), ({"renewed": []}, True),
     ({"smooth": {"bits": 0, "scale": "1"}}, False), ({"smooth": {"bits": 1025, "scale": "1"}}, False)],
)  # fmt: skip
def test_a_recursion_is_read_within_its_ranges(change, read):
    body = {**RECURSION, "renewed": [0], **change}
    if read:
        assert budget.Recursion(body).tokens == body["tokens"]
    else:
        with pytest.raises(Refused):
            budget.Recursion(body)


def test_layers_have_one_to_eight_heads_and_forms_of_small_places():
    assert len(budget.Layer({**FORMS, "heads": [ENTRY] * 8}).heads) == 8
    for heads in ([], [ENTRY] * 9):
        with pytest.raises(Refused, match="1 to 8 entries"):
            budget.Layer({**FORMS, "heads": heads})
    assert budget._entries([[4096, 4096, "-1/2"]]) == [(4096, 4096, Fraction(1, 2))]
    for entry in ([4097, 0, "1"], [0, 4097, "1"], [-1, 0, "1"], [0, 0]):
        with pytest.raises(Refused):
            budget._entries([entry])


def test_what_a_form_makes_of_sizes_is_its_weighted_sum():
    entries = budget._entries([[0, 1, "2"], [1, 1, "-3"], [1, 0, "1/2"]])
    assert budget._through(entries, [Fraction(5), Fraction(7)], 3) == [Fraction(7, 2), 31, 0]
    with pytest.raises(Refused, match="not there"):
        budget._through(entries, [Fraction(5)])


@pytest.mark.parametrize("off", [0, 1])
def test_sizes_of_states_are_those_of_the_automaton_or_hardly_more(off, monkeypatch):
    """Rounded up by at most 2^-100 of themselves, at every coordinate that holds a state."""
    machine = budget.Automaton([[["2"]]], {"a": ["3"]})
    assert machine.states(1) == [3] and machine.states(3) == [108]
    stated = Fraction(3) + Fraction(3 + off, 2**100)
    model = {**RECURSION, "sizes": [str(stated)], "embedded": [str(stated)], "renewed": [], "states": [0],
             "order": [0], "layers": [{**FORMS, "heads": [ENTRY]}]}  # fmt: skip
    monkeypatch.setattr(budget.Recursion, "after", lambda self, layer, errors: [Fraction(1, 9)])
    if off:
        with pytest.raises(Refused, match="size of coordinate 0"):
            budget._within(model, machine, Fraction(1, 9))
    else:
        budget._within(model, machine, Fraction(1, 9))
        with pytest.raises(Refused, match="a larger error than stated"):
            budget._within(model, machine, Fraction(1, 10))
        for change in ({"layers": model["layers"] * 9}, {"order": [0] * 201}, {"order": []},
                       {"states": [0, 0]}, {"states": [1]}, {"renewed": [0]}):  # fmt: skip
            with pytest.raises(Refused):
                budget._within({**model, **change}, machine, Fraction(1, 9))
