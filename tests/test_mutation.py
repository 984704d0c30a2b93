"""The mutation run itself: what it draws, whom it asks, what counts as a kill, how it ends."""

import queue
from collections import Counter
from pathlib import Path

import mutation
import nearest_tests
import pytest
from mutation import Copy, Ended, Judged, Mutant

SOURCE = """def checked(x):
    if x < 0:
        raise ValueError(
            "expected a number >= 0"
        )
    if x > 9:
        raise ValueError("expected a digit")
    return x + 1
"""
FILES = {
    "constructions/__init__.py": "",  # or the installed package would go first
    "constructions/digits.py": SOURCE,
    "constructions/alone.py": "ONE = 1\n",
    "constructions/inner.py": "TWO = 2\n",
    "constructions/outer.py": "from constructions import inner\n",
    "constructions/commands/bake_.py": "THREE = 3\n",
    "constructions/sums.py": '@fact(\n    "sums.closed", "exact"\n)\ndef closed(): ...\n',
    "tests/constructions/test_facts.py": 'CASES = [("sums.closed", True)]\n',
    "constructions/forms/__init__.py": "import_module(name)\n",
    "constructions/forms/round.py": "FOUR = 4\n",
    "assay/__init__.py": "from constructions import inner\n"
    "from constructions.digits import checked as check\n",
    "tests/support/shared.py": "from constructions.digits import checked\n",
    "tests/constructions/test_supported.py": "import shared\n",
    "tests/constructions/test_public.py": "import assay\n\n# longer than the others\nassay.check\n",
    "tests/constructions/test_forms.py": "from constructions import forms\n",
    "tests/constructions/test_calls.py": 'main(["bake", "thm1"])\n',
    "tests/test_house.py": "def test_house(): pass\n",
    "tests/constructions/test_digits.py": "from constructions.digits import checked\n",
    "tests/constructions/test_more.py": "from constructions import digits\n# a longer file\n",
    "tests/constructions/test_outer.py": "from constructions import outer\n",
    "tests/constructions/test_other.py": "import json\n",
}


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A repository of a few lines in place of ours."""
    root = tmp_path / "house"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for module in (mutation, nearest_tests):
        monkeypatch.setattr(module, "ROOT", root)
    forget_files()
    yield root
    forget_files()


def forget_files():
    """What was read of one repository does not hold of another."""
    for computed in ("public_names", "source_modules", "_tests_of_module"):
        getattr(nearest_tests, computed).cache_clear()


def refusal(occurrence):
    return Mutant("constructions/digits.py", mutation.REFUSAL, occurrence, 0)


def test_a_sample_depends_on_its_seed_alone_and_has_each_place_once(house):
    pytest.importorskip("cosmic_ray")
    places = mutation.places(house / "constructions" / "digits.py")
    every = mutation.sample(1000, 1, ["constructions/digits.py", "constructions"])
    assert mutation.sample(5, 1, ["constructions"]) == mutation.sample(5, 1, ["constructions"])
    assert len({tuple(mutation.sample(3, seed, ["constructions"])) for seed in range(5)}) > 1
    assert sum(map(len, places.values())) > len(places)
    assert Counter(m.path for m in every)["constructions/digits.py"] == len(places)
    assert len(set(mutation.sample(5, 1, ["constructions"]))) == 5


def test_sources_are_those_of_files_and_folders_each_once(house):
    digits = house / "constructions" / "digits.py"
    both = nearest_tests.sources(["constructions/digits.py", "constructions"])
    assert both[0] == digits and both.count(digits) == 1 and len(both) > 1
    assert nearest_tests.sources(["constructions/digits.py"]) == [digits]


def test_a_mutant_changes_its_place(house):
    pytest.importorskip("cosmic_ray")
    for mutant in mutation.sample(1000, 2, ["constructions"]):
        text = (house / mutant.path).read_text()
        assert mutation.source(mutant) != text
    with pytest.raises(LookupError, match="is not there"):
        mutation.source(Mutant("constructions/digits.py", mutant.operator, 99, 1))


def test_refusals_are_all_raises_and_a_sample_depends_on_its_seed(house):
    found = mutation.refusals(10, 1, ["constructions"])
    assert {(m.occurrence, m.line) for m in found} == {(0, 3), (1, 7)}
    assert found == mutation.refusals(10, 1, ["constructions"])
    assert len(mutation.refusals(1, 1, ["constructions"])) == 1


def test_a_raise_over_several_lines_is_left_out_whole(house):
    first, second = (mutation.source(refusal(number)) for number in (0, 1))
    assert first == SOURCE.replace(
        'raise ValueError(\n            "expected a number >= 0"\n        )', "pass\n\n"
    )
    assert second == SOURCE.replace('raise ValueError("expected a digit")', "pass")
    assert first.count("\n") == second.count("\n") == SOURCE.count("\n")
    for text, wrong in ((first, -1), (second, 10)):
        made = {}
        exec(compile(text, "made", "exec"), made)
        assert made["checked"](wrong) == wrong + 1


def test_a_description_names_the_line_and_a_reason_does_not(house):
    text = mutation.described(refusal(1), mutation.source(refusal(1)))
    change = 'raise ValueError("expected a digit") -> pass'
    assert text == f"constructions/digits.py:7  {change}"
    assert mutation.plain(text) == f"constructions/digits.py  {change}"
    assert mutation.plain(text) == mutation.plain(text.replace(":7", ":70"))


def test_lines_that_are_left_out_at_the_end_are_described(house):
    shorter = "".join(SOURCE.splitlines(keepends=True)[:-1])
    found = mutation.described(Mutant("constructions/digits.py", "x", 0, 8), shorter)
    assert found == "constructions/digits.py:8  the last lines are left out"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("digits", ["test_digits.py", "test_more.py", "test_public.py", "test_supported.py"]),
        ("inner", ["test_outer.py"]),
        ("alone", []),
        ("commands/bake_", ["test_calls.py"]),
        ("forms/round", ["test_forms.py"]),
        ("sums", ["test_facts.py"]),
    ],
)
def test_the_tests_of_a_file_are_its_mirror_then_who_imports_it_then_those_of_its_users(
    house, source, expected
):
    path = house / "constructions" / f"{source}.py"
    found = nearest_tests.tests_of(path) + nearest_tests.tests_of_users(path)
    assert [path.name for path in found] == expected


def test_a_name_of_the_public_interface_is_an_import_of_its_module(house):
    public, tests = nearest_tests.public_names(), house / "tests" / "constructions"
    assert public == {"check": "constructions.digits", "inner": "constructions.inner"}
    assert "constructions.digits" in nearest_tests.imports(tests / "test_public.py")
    assert "constructions.inner" not in nearest_tests.imports(tests / "test_public.py")
    assert nearest_tests.users("constructions.inner") == ["constructions.outer"]


def test_files_that_name_the_changed_function_go_first(house):
    more = house / "tests" / "constructions" / "test_more.py"
    more.write_text(f"{more.read_text()}\n# a long file\nassert digits.checked\n")
    mutant = mutation.refusals(1, 1, ["constructions/digits.py"])[0]
    near, far = mutation.stages(mutant)
    assert [Path(name).name for name in near] == [
        "test_digits.py",
        "test_more.py",
        "test_public.py",
    ]
    assert far == ["constructions/test_supported.py"]
    (house / "tests" / "constructions" / "test_digits.py").write_text("import constructions.digits")
    assert mutation.stages(mutant)[0][0] == "constructions/test_more.py"


def test_outside_of_functions_no_file_goes_before_the_module_s_own(house):
    own = house / "tests" / "constructions" / "test_digits.py"
    own.write_text("from constructions.digits import checked\n\nchecked(1)\n")
    near, _ = mutation.stages(Mutant("constructions/digits.py", mutation.REFUSAL, 0, 99))
    assert Path(near[0]).name == "test_digits.py"


def test_the_function_of_a_line_is_the_innermost_one(house):
    path = house / "constructions" / "digits.py"
    path.write_text("class A:\n    def f(self):\n        return 1\n\n\nB = 2\n")
    assert [nearest_tests.function_at(path, line) for line in (1, 2, 3, 6)] == ["A", "f", "f", ""]


LAST = {
    "verify/test_a.py::test_one PASSED [ 50%]\nverify/test_a.py::test_two FAILED [100%]\n": (
        "verify/test_a.py::test_two"
    ),
    "verify/test_a.py::test_one[a b-1] ERROR   [100%]\n": "verify/test_a.py::test_one[a b-1]",
    "verify/test_a.py::test_one PASSED [ 50%]\nverify/test_a.py::test_cut ": (
        "verify/test_a.py::test_cut"
    ),
    "verify/test_a.py::TestAll::test_one XFAIL (reason) [ 10%]": "verify/test_a.py::TestAll::test_one",
    "ERROR verify/test_b.py - ImportError: no name\n1 error in 0.1s\n": "verify/test_b.py",
    "____________ ERROR collecting verify/test_b.py ____________\n": "verify/test_b.py",
    "no tests ran in 0.01s\n": "",
}


@pytest.mark.parametrize("output", LAST)
def test_the_last_test_is_read_from_what_pytest_prints(output):
    assert Ended(1, output).last == LAST[output]


def test_no_test_is_no_failure_and_a_signal_is_the_end_of_the_time():
    passed = [status for status in (0, 1, 2, 3, 4, 5, -9) if Ended(status, "").passed]
    assert passed == [0, 5]
    assert [Ended(status, "").cut_short for status in (0, 1, -9)] == [False, False, True]


class Scripted(Copy):
    """A copy whose tests fail as scripted: with a mutant, without one, and beyond the time."""

    def __init__(self, folder, with_mutant, without=(), slow=()):
        self.root, self.left_out, self._clock = folder, set(), 0.0
        self.with_mutant, self.without, self.slow = with_mutant, set(without), set(slow)
        self.mutated = False

    def _written(self, place, text):
        self.mutated = not self.mutated

    def run(self, tests, *options, seconds=1):
        alone = "-x" not in options
        failing = [*self.with_mutant, *sorted(self.without)] if self.mutated else self.without
        asked = set(tests) if alone else set(failing)
        failed = [t for t in failing if t in asked and t not in self.left_out]
        if failed:
            cut = failed[0] in self.slow
            return Ended(-9 if cut and not alone else int(not cut), f"{failed[0]} FAILED\n")
        return Ended(0, "".join(f"{test} PASSED\n" for test in tests))


def judged(copy):
    (found,) = mutation.all_judged([refusal(0)], [copy])
    return found.outcome, found.killer


def test_a_kill_is_named_by_its_test(house):
    assert judged(Scripted(house, ["test_a.py::test_x"])) == ("killed", "test_a.py::test_x")
    assert judged(Scripted(house, [])) == ("survived", "")


def test_a_kill_counts_only_if_its_test_passes_without_the_mutant(house, capsys):
    assert judged(Scripted(house, [], ["test_a.py::test_x"])) == ("survived", "")
    assert "left out, does not pass: test_a.py::test_x" in capsys.readouterr().out
    both = Scripted(house, ["test_a.py::test_x", "test_a.py::test_y"], ["test_a.py::test_x"])
    assert judged(both) == ("killed", "test_a.py::test_y")


def test_a_test_that_is_left_out_and_run_all_the_same_ends_the_run(house):
    copy = Scripted(house, [])
    copy.run = lambda tests, *options: Ended(1, "test_a.py::test_z FAILED\n")
    with pytest.raises(RuntimeError, match=r"run all the same: test_a\.py::test_z"):
        judged(copy)


def test_tests_that_are_slow_together_kill_nothing(house):
    slow = ["test_a.py::test_x"]
    assert judged(Scripted(house, slow, slow=slow)) == ("survived", "")


def test_mutants_that_mean_the_same_are_not_run(house, monkeypatch):
    text = mutation.plain(mutation.described(refusal(0), mutation.source(refusal(0))))
    monkeypatch.setattr(mutation, "reasons", lambda: {text: "it is the same"})
    found = mutation.judged(refusal(0), queue.Queue())
    assert found.outcome == "same"
    assert found.text.endswith("(it is the same)")


def test_files_without_tests_and_what_is_no_program_are_kept_apart(house, monkeypatch):
    (house / "constructions" / "alone.py").write_text("def f():\n    raise ValueError\n")
    alone = Mutant("constructions/alone.py", mutation.REFUSAL, 0, 2)
    assert mutation.judged(alone, queue.Queue()).outcome == "untested"
    monkeypatch.setattr(mutation, "source", lambda mutant: "def (")
    assert mutation.judged(alone, queue.Queue()).outcome == "no program"


@pytest.mark.parametrize(
    ("counts", "status", "score"),
    [
        ({"killed": 92, "survived": 8}, 0, "92.0% of 100"),
        ({"killed": 91, "survived": 9}, 1, "91.0% of 100"),
        ({"killed": 92, "survived": 8, "same": 50, "no program": 7}, 0, "92.0% of 100"),
        ({"killed": 91, "survived": 8, "untested": 1}, 1, "91.0% of 100"),
        ({}, 1, "0.0% of 0"),
    ],
)
def test_the_status_is_that_of_the_threshold(counts, status, score, capsys):
    found = [Judged(refusal(0), name, "text") for name, n in counts.items() for _ in range(n)]
    assert mutation.reported(found) == status
    shown = capsys.readouterr().out
    assert f"killed {score} that differ in meaning" in shown
    assert shown.count("text\n") == sum(counts.values()) - counts.get("killed", 0)


def test_every_reason_belongs_to_a_line_that_is_there():
    for text in mutation.reasons():
        path, _, change = text.partition("  ")
        lines = [line.strip() for line in (mutation.ROOT / path).read_text("utf-8").splitlines()]
        before, arrow, _ = change.partition(" -> ")
        assert before in lines if arrow else "left out" in change, text


@pytest.mark.slow
def test_a_real_test_or_a_rule_for_all_files_kills_and_the_file_is_as_before(house, tmp_path):
    (house / "tests" / "constructions" / "test_digits.py").write_text(
        "import warnings\nimport pytest\nfrom constructions.digits import checked\n\n"
        "def test_small():\n    warnings.warn('named after the tests')\n    assert checked(1) == 2\n\n"
        "def test_large():\n    with pytest.raises(ValueError):\n        checked(10)\n"
    )
    copy, test = Copy(tmp_path), "constructions/test_digits.py"
    killer = copy.kills("constructions/digits.py", mutation.source(refusal(1)), [[], [test]])
    assert killer == f"{test}::test_large"
    assert copy.kills("constructions/digits.py", mutation.source(refusal(0)), [[test]]) == ""
    (copy.root / "tests" / "test_house.py").write_text(
        "from pathlib import Path\n\n"
        "def test_rule():\n    assert 'pass' not in Path('../constructions/digits.py').read_text()\n"
    )
    ruled = copy.kills("constructions/digits.py", mutation.source(refusal(0)), [[test]])
    assert ruled == "test_house.py::test_rule"
    assert (copy.root / "constructions" / "digits.py").read_text() == SOURCE


def test_a_test_that_is_left_out_is_not_run_and_a_link_stays_a_link(house, tmp_path):
    (house / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (house / "link").symlink_to("constructions")
    test = "constructions/test_other.py"
    (house / "tests" / test).write_text("def test_never():\n    assert False\n")
    copy = Copy(tmp_path)
    ended = copy.run([test])
    assert (ended.status, ended.last) == (1, f"{test}::test_never")
    copy.left_out.add(ended.last)
    assert copy.run([test]).passed
    assert (copy.root / "link").is_symlink()
