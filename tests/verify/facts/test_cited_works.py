"""The listed entries on cited works are compared with the print."""

from verify.facts.cited_works import work_says

LIU = "Liu et al. 2023, Transformers Learn Shortcuts to Automata"


def test_depth_and_size_are_told_apart():
    assert work_says(LIU, "depth for all automata", "log T").holds
    other = work_says(LIU, "size for all automata", "log T")
    assert other.holds is False and other.witness["says"] == "polynomial"
