"""How many are listed, how long names are, and where results are kept, each by hand."""

import json
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from verify.facts.registry import Fact, Inputs
from verify.judge.model import digest
from verify.judge.outcome import Outcome
from verify.record import cluster, doctor, output, plan, provenance, record, runner, source


@pytest.mark.parametrize("size", [40, 41])
def test_names_of_more_than_forty_characters_are_cut_and_made_their_own(size):
    name = "r" * size
    kept = name if size == 40 else f"{'r' * 40}-{digest(name)[:8]}"
    assert output._prefix(Path("folder", name)) == f".{kept}.swap-"


def ids(count):
    return {"statements": [{"id": f"a.{k}", "title": "", "numbered": ""} for k in range(count)]}


@pytest.mark.parametrize(("count", "more"), [(2, ""), (6, ""), (7, " and 1 more")])
def test_six_statements_that_begin_so_are_listed(count, more):
    listed = ", ".join(f"a.{k}" for k in range(min(count, 6)))
    found = str(source._unknown("a", ["x"], ids(count)))
    assert f"a is ambiguous, it begins {listed}{more}" in found
    assert "a statement, such as x" in str(source._unknown("a", ["x"], ids(1)))
    assert "a statement, such as x" in str(source._unknown("b", ["x"], ids(count)))


def test_whole_statements_are_listed_before_their_parts():
    rows = [{"id": name} for name in ("a.z.1", "a.b", "a.a.2", "ab")]
    assert "begins ab, a.b, a.a.2, a.z.1" in str(source._unknown("a", [], {"statements": rows}))


def test_what_may_be_a_finding_is_asked_for_as_one():
    for name in ("F1", "f123"):
        assert f"assay findings {name}" in str(source._unknown(name, [], ids(2)))
    assert "assay findings" not in str(source._unknown("F1234", [], ids(2)))


def test_a_record_is_named_by_sixteen_digits_of_its_digest(tmp_path):
    (tmp_path / "record.json").write_bytes(b"{}")
    found = provenance.provenance(tmp_path)
    assert (found.record, found.commit) == (sha256(b"{}").hexdigest()[:16], "")


def test_a_commit_that_pip_wrote_down_has_twelve_digits(tmp_path, monkeypatch):
    origin = json.dumps({"vcs_info": {"commit_id": "0123456789abcdef"}})
    installed = SimpleNamespace(
        locate_file=lambda name: tmp_path / name, read_text=lambda name: origin
    )
    monkeypatch.setattr(provenance, "distribution", lambda name: installed)
    assert provenance.commit_of(tmp_path) == "0123456789ab"
    assert provenance._installation(tmp_path / "elsewhere") == ""


def test_results_are_kept_in_folders_by_the_first_two_digits_of_their_names(tmp_path, monkeypatch):
    known = {"t.one": Fact("t.one", lambda: Outcome(True), "exact", ())}
    monkeypatch.setattr(runner, "registered", lambda code: known)
    todo = runner.tasks([("t.one", {})], Inputs())
    assert runner.uncached(todo, tmp_path) == todo
    runner.run(todo, tmp_path, lambda *_: None, runner.processes(1))
    (kept,) = tmp_path.rglob("*.json")
    assert kept == tmp_path / "facts" / kept.name[:2] / kept.name and len(kept.stem) == 64
    assert runner.uncached(todo, tmp_path) == []


def test_a_task_whose_process_died_has_taken_no_time_and_says_so_of_all_its_parameters(
    tmp_path, monkeypatch
):
    known = {"t.one": Fact("t.one", lambda: Outcome(True), "exact", (), batch=True)}
    monkeypatch.setattr(runner, "registered", lambda code: known)
    todo, told = runner.tasks([("t.one", {"k": 1}), ("t.one", {"k": 2})], Inputs()), []
    dead = lambda function, items: ((item, None) for item in items)  # noqa: E731
    found = runner.run(todo, tmp_path, lambda *each: told.append(each), dead)
    assert [item.crash for item in found.values()] == [runner.DIED] * 2
    assert told == [("t.one", 0.0, False)] and not [*tmp_path.rglob("*.json")]


def test_json_has_one_form_indented_by_one_with_sorted_keys_and_letters_as_they_are():
    assert record.canonical({"b": [1, "é"], "a": None}) == (
        '{\n "a": null,\n "b": [\n  1,\n  "é"\n ]\n}\n'.encode()
    )
    for data, place in (({"a": [1, 0.5]}, r"record\.a\[1\]"), ((0.5,), r"record\[0\]")):
        with pytest.raises(TypeError, match=place):
            record.canonical(data)


class Job:
    """A future whose result is there."""

    def __init__(self, function, item):
        self.result = lambda: function(item)


def test_a_work_is_given_to_other_workers_five_times_and_a_scheduler_has_ten_seconds(monkeypatch):
    asked = []

    class Client:
        """Notes what it is asked for."""

        loop = None

        def __init__(self, address, **named):
            asked.append((address, named))

        def run(self, function, on_error):
            return {"worker": function()}

        def submit(self, function, item, **named):
            asked.append(named)
            return Job(function, item)

        def cancel(self, futures):
            asked.append(len(futures))

        def close(self):
            asked.append("closed")

    library = SimpleNamespace(Client=Client, as_completed=lambda futures, loop: futures)
    monkeypatch.setattr(cluster, "_distributed", lambda: library)
    with cluster.Cluster("tcp://host:1") as connected:
        assert [*connected.map(abs, [-3])] == [(-3, 3)]
    address, *others = asked
    assert address == (
        "tcp://host:1", {"timeout": 10, "set_as_default": False, "security": None},
    )  # fmt: skip
    assert others == [{"pure": False, "retries": 5}, 1, "closed"]


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
