"""Pages part by part: words, elements, numbers and the names of marks, by hand."""

import pytest

from verify.recheck import pages
from verify.recheck.errors import Refused


def test_the_first_strange_element_is_named():
    stated = b'<svg><z q="1"/><b c="2"/></svg>'
    with pytest.raises(Refused, match=r"^a: a drawing has 'b '$"):
        pages.same_page("a", stated, b"<svg></svg>")
    with pytest.raises(Refused, match=r"^a: a drawing has 'b c=#'$"):
        pages.same_page("a", stated, b"<svg><b/><z/></svg>")
    assert pages.same_page("a", b"<svg><b/></svg>", b"<svg><b/></svg>")
