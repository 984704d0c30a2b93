"""The material of a run: whose paper a variable names, and the seed of what facts draw."""

import pytest

from constructions.core.errors import InputError
from verify.record import chosen_paper, prerequisites

OURS, OTHER = chosen_paper.choose(None), chosen_paper.choose(chosen_paper.TEMPLATE)


def test_the_variable_names_the_source_of_our_paper_and_of_no_other(tmp_path, monkeypatch):
    source = tmp_path / "paper.tex"
    source.write_text("text")
    monkeypatch.setenv("ASSAY_PAPER", str(source))
    assert prerequisites.inputs(OURS, None, []).paper == source
    assert prerequisites.inputs(OTHER, None, []).paper == OTHER.source != source
    assert prerequisites.inputs(OTHER, source, []).paper == source


@pytest.mark.parametrize("place", ["/dev/zero", ".", "none"])
def test_a_source_that_is_no_file_is_refused(tmp_path, place):
    with pytest.raises(InputError, match="--paper"):
        prerequisites.inputs(OURS, tmp_path / place, [])


def test_the_seed_follows_from_the_sources_unless_the_user_gives_one(monkeypatch):
    monkeypatch.delenv("ASSAY_SEED", raising=False)
    seed = prerequisites.inputs(OURS, None, []).seed
    assert seed == prerequisites.inputs(OTHER, None, []).seed and 0 <= seed < 10**9
    assert prerequisites.inputs(OURS, None, [], 0).seed == 0
    monkeypatch.setenv("ASSAY_SEED", "17")
    assert prerequisites.inputs(OURS, None, []).seed == 17
    assert prerequisites.inputs(OURS, None, [], 5).seed == 5
