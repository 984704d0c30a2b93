"""Pages part by part: words, elements, numbers and the names of marks, by hand."""

import pytest

from verify.recheck import pages
from verify.recheck.errors import Refused

PAGE = (
    b'<p>one</p><svg id="x"><path d="M 1 2"/><text>two\n three</text></svg> and '
    b'<svg><g style="width: 2.5px"></g></svg>end'
)


def test_drawings_are_cut_out_and_their_words_joined():
    assert pages._drawings(PAGE) == [
        b'<svg id="x"><path d="M 1 2"/><text>two\n three</text>',
        b'<svg><g style="width: 2.5px"></g>',
    ]
    assert pages._drawings(b"no drawing") == []
    assert pages._text(PAGE) == [b"<p>one</p>", b"two three", b" and ", b"", b"end"]


def test_elements_are_named_with_their_attributes_and_without_their_numbers():
    assert pages._elements(pages._drawings(PAGE)[0]) == {
        (b"svg", b""), (b"svg", b"id=x"), (b"path", b""), (b"path", b"d="), (b"text", b""),
        (b"/text", b""),
    }  # fmt: skip
    assert pages._elements(b'<g style="width: 2.5px -3"/><!-- x -->') == {
        (b"g", b""), (b"g", b"style=width: 2.5px #"), (b"<!-- x -->", b""),
    }  # fmt: skip
    fetching = b'<g style="fill: url(other)"/>'
    assert pages._elements(fetching) == {(fetching, b"")}


@pytest.mark.parametrize(
    ("attribute", "value", "form"),
    [
        (b"d", b"M 1,2 L -3e1 4 Z", b""),
        (b"points", b"1 2", b""),
        (b"d", b"M 1 evil", b"M # evil"),
        (b"x", b"M 1 2", b"M # #"),
        (b"href", b"#c-p0123456789-m00000000ff", b"#c"),
        (b"style", b"a: 1.5; b: -2; c: #123", b"a: #; b: #; c: #123"),
    ],
)
def test_a_value_is_what_is_left_without_its_numbers(attribute, value, form):
    assert pages._form(attribute, value) == form


def test_marks_are_numbered_in_the_order_in_which_they_come():
    one, other = b"-p0123456789", b"-mffffffffff"
    assert pages._renumbered(b" ".join([one, other, one])) == b"-0 -1 -0"
    drawn = b'<svg><use href="#a-p0123456789"/><use href="#a-p0123456780"/></svg>'
    assert pages._same_lines(drawn.replace(b"6789", b"0000"), drawn)
    assert not pages._same_lines(drawn.replace(b"6789", b"6780"), drawn)


def test_the_first_strange_element_is_named():
    stated = b'<svg><z q="1"/><b c="2"/></svg>'
    with pytest.raises(Refused, match=r"^a: a drawing has 'b '$"):
        pages.same_page("a", stated, b"<svg></svg>")
    with pytest.raises(Refused, match=r"^a: a drawing has 'b c=#'$"):
        pages.same_page("a", stated, b"<svg><b/><z/></svg>")
    assert pages.same_page("a", b"<svg><b/></svg>", b"<svg><b/></svg>")


def test_numbers_may_differ_in_both_directions_and_not_in_number():
    page = b'<svg><path d="M 1.0005 -2"/></svg>'
    for near in (b"1.0006", b"1.0004"):
        assert pages._same_lines(page.replace(b"1.0005", near), page)
    for far in (b"1.0007", b"1.0003"):
        assert not pages._same_lines(page.replace(b"1.0005", far), page)
    assert not pages._same_lines(page.replace(b"-2", b"-2 "), page)
