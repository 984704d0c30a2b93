"""How many are listed, how long names are, and where results are kept, each by hand."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from hashlib import sha256
from types import SimpleNamespace
from typing import ClassVar

import pytest

from verify.record import doctor, plan, provenance, record


def test_a_record_is_named_by_sixteen_digits_of_its_digest(tmp_path):
    (tmp_path / "record.json").write_bytes(b"{}")
    found = provenance.provenance(tmp_path)
    assert (found.record, found.commit) == (sha256(b"{}").hexdigest()[:16], "")


def test_json_has_one_form_indented_by_one_with_sorted_keys_and_letters_as_they_are():
    assert record.canonical({"b": [1, "é"], "a": None}) == (
        '{\n "a": null,\n "b": [\n  1,\n  "é"\n ]\n}\n'.encode()
    )
    for data, place in (({"a": [1, 0.5]}, r"record\.a\[1\]"), ((0.5,), r"record\[0\]")):
        with pytest.raises(TypeError, match=place):
            record.canonical(data)


class Pool:
    """Futures that are done at once; what fails is broken."""

    made: ClassVar[list["Pool"]] = []

    def __init__(self, workers, context, start):
        self.given, self.ended, self.stopped = (workers, start), [], []
        worker = SimpleNamespace(terminate=lambda: self.stopped.append("terminated"))
        self._processes = {1: worker, 2: worker}
        Pool.made.append(self)

    def submit(self, function, item):
        done = Future()
        if item == "broken":
            done.set_exception(BrokenProcessPool())
        elif item == "wrong":
            done.set_exception(ValueError("wrong"))
        else:
            done.set_result(function(item))
        return done

    def shutdown(self, **given):
        self.ended.append(given)


@pytest.mark.parametrize(("count", "words"), [
    (0, "no verdict changes"), (1, "1 verdict changes"), (2, "2 verdicts change"),
])  # fmt: skip
def test_verdicts_are_counted_in_words(count, words):
    assert doctor.verdicts(count) == words


def test_a_part_says_how_to_get_it_where_it_is_missing():
    assert doctor.Part("coq", "", "proofs", "install it").line == "not here; proofs: install it"
    assert doctor.Part("coq", "8.18", "proofs", "install it").line == "8.18; proofs"


def test_near_names_of_facts_are_at_most_three():
    known = dict.fromkeys((f"fact.{k}" for k in range(9)), None)
    paper = SimpleNamespace()
    asked = SimpleNamespace(fact="fact.x")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "entries_asking", lambda paper: [("here", asked)])
        (line,) = plan.misfits(paper, known)
        assert line.startswith("here: no fact 'fact.x'; near it: ") and line.count("fact.") == 4
        asked.fact = "zzz"
        assert [*plan.misfits(paper, known)] == ["here: no fact 'zzz'"]
