"""The README's pictures are those of the published report."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = runpy.run_path(str(DOCS / "report_pictures.py"))


@pytest.mark.parametrize("name", SCRIPT["PICTURES"])
def test_a_picture_is_that_of_the_published_report(name):
    """Where it is not: `python docs/report_pictures.py` after the report was published."""
    assert (DOCS / name).read_bytes() == (SCRIPT["PUBLISHED"] / "figures" / name).read_bytes()
