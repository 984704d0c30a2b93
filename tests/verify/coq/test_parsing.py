"""Comments and strings as Coq reads them, and what a file opens and closes."""

import pytest

from verify.coq.parsing import Unclosed, bare, check_closed


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a (* Admitted (* Axiom *) still *) b", "a   b"),
        ('x "(*" Axiom "*)" y', 'x "" Axiom "" y'),
        ('(* " *) " *) b', "  b"),
        ('"a ""quoted"" word" b', '"" b'),
        ("rewrite H in *); auto", "rewrite H in *); auto"),
        ("(**) a", "  a"),
    ],
)
def test_comments_and_strings_are_left_out(source, text):
    assert bare(source) == text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("a (* b", "a comment does not end"),
        ("a (* (* b *)", "a comment does not end"),
        ('a "b', "a string does not end"),
        ('(* " *)', "a string does not end"),
    ],
)
def test_what_does_not_end_is_named(source, reason):
    with pytest.raises(Unclosed, match=reason):
        bare(source)


@pytest.mark.parametrize(
    "source",
    [
        "Section A. Section B. End B. End A.",
        "Module A. End A. Module Type B. End B. Module Import C. End C.",
        "Module Short := List.",
        "Definition the_End := 1. (* End A. *)",
    ],
)
def test_a_file_that_closes_what_it_opens_is_accepted(source):
    check_closed(source)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("End A.", "End A closes nothing"),
        ("Section A. End A. End A.", "End A closes nothing"),
        ("Section A. End B.", "End B closes nothing"),
        ("Section A. Section B. End A. End B.", "End A closes nothing"),
        ("Time End A.", "End A closes nothing"),
        ("Section A. Section B. End B.", "A is not closed"),
    ],
)
def test_a_file_that_closes_anything_else_is_refused(source, reason):
    with pytest.raises(Unclosed, match=reason):
        check_closed(source)
