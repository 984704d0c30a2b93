"""How many are listed, how long names are, and where results are kept, each by hand."""

import json
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from verify.facts.registry import Fact, Inputs
from verify.judge.data import digest
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


def test_an_item_whose_process_dies_is_found_with_one_process_and_the_others_go_on(monkeypatch):
    """Three processes die at 1, one works up to it, three have what is left."""
    asked = []

    def pool(function, items, workers):
        asked.append((list(items), workers))
        for place, item in enumerate(items):
            if item == 1:
                return items[place:]
            yield item, function(item)
        return []

    monkeypatch.setattr(runner, "_run_pool", pool)
    found = list(runner.processes(3)(str, [3, 2, 1, 0]))
    assert found == [(3, "3"), (2, "2"), (1, None), (0, "0")]
    assert asked == [([3, 2, 1, 0], 3), ([1, 0], 1), ([0], 3)]
    asked.clear()
    assert list(runner.processes(1)(str, [1, 2])) == [(1, "1"), (2, "2")]
    assert list(runner.processes(3)(str, [1])) == [(1, "1")] and not asked


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


def taken(items):
    """The pairs that a pool of two gives, and what it leaves."""
    left = []

    def all_of():
        left.extend((yield from runner._run_pool(str.upper, items, 2)))

    return sorted(all_of()), left


def test_what_a_broken_pool_leaves_comes_back_in_order(monkeypatch):
    monkeypatch.setattr(runner, "ProcessPoolExecutor", Pool)
    assert taken(["a", "broken", "b"]) == ([("a", "A"), ("b", "B")], ["broken"])
    assert (Pool.made[-1].given[0], Pool.made[-1].ended, Pool.made[-1].stopped) == (2, [{}], [])


def test_workers_are_stopped_at_once_where_something_else_goes_wrong(monkeypatch):
    monkeypatch.setattr(runner, "ProcessPoolExecutor", Pool)
    with pytest.raises(ValueError, match="wrong"):
        taken(["wrong"])
    pool = Pool.made[-1]
    assert pool.ended == [{"wait": False, "cancel_futures": True}]
    assert pool.stopped == ["terminated"] * 2


def test_a_program_is_known_by_its_sources_and_not_by_papers_data(tmp_path, monkeypatch):
    texts = {
        "a.py": "1",
        "sub/b.toml": "2",
        "sub/c.txt": "3",
        "paper/d.toml": "4",
        "template/e.py": "5",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "folder.py").mkdir()
    package = SimpleNamespace(__path__=[str(tmp_path)])
    monkeypatch.setattr(runner, "constructions", package)
    monkeypatch.setattr(runner, "verify", package)
    assert runner.fingerprint.__wrapped__() == sha256(b"a.py\x001sub/b.toml\x002" * 2).hexdigest()


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
