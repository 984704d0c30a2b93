r"""Labels of the LaTeX source: which are defined twice, and what each takes its number from.

Claims        fig.labels, fig.scan
Roads         labels counted by line; LaTeX's counters stepped through the source, float by float
Notation      a label takes the number of the last counter that was stepped in its own group: a
              section, a theorem when it begins, a float when its caption is set
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from verify.check import Job, check
from verify.checks.paper_sentences import Count, Sentence
from verify.checks.paper_text import certificate
from verify.checks.paper_text import source as source_of
from verify.claims.model import Name
from verify.evidence import Evidence, Outcome, Strength


@check("fig.labels", needs=("paper",))
def every_label_names_one_thing(job: Job) -> Iterator[Evidence]:
    """Count the labels of the LaTeX source."""
    if job.paper is None:
        yield Evidence(
            "fig.labels", Outcome.UNAVAILABLE, Strength.EXACT, "", "paper source not given"
        )
        return
    yield from labels(job.paper.read_text(encoding="utf-8"))


def labels(source: str) -> Iterator[Evidence]:
    """Say which labels are defined more than once."""
    lines: dict[str, list[int]] = {}
    for number, line in enumerate(source.splitlines(), start=1):
        for piece in line.split("\\label{")[1:]:
            lines.setdefault(piece.partition("}")[0], []).append(number)
    twice = {label: where for label, where in lines.items() if len(where) > 1}
    told = "; ".join(f"{label} on lines {where}" for label, where in twice.items())
    yield Evidence(
        "fig.labels",
        Outcome.FAILS if twice else Outcome.HOLDS,
        Strength.EXACT,
        "the LaTeX source",
        f"Labels defined more than once: {told or 'none'}.",
        certificate={"kind": "tables.labels", "labels": lines},
        counterexample=told,
    )


ANCHORS = {"section": "section", "subsection": "section", "subsubsection": "section"}
FLOATS = {"figure": "figure", "figure*": "figure", "table": "table", "table*": "table",
          "algorithm": "algorithm", "subfigure": "subfigure"}  # fmt: skip
STEPPED = {"theorem", "definition", "lemma", "corollary", "equation", "align"}
COMMAND = re.compile(r"\\(begin|end|section|subsection|subsubsection|caption|label)\*?\{([^}]*)\}?")


def anchors(source: str) -> dict[str, str]:
    """What each label takes its number from: the last counter stepped in its own group."""
    current, groups, found = "", [], {}
    for command, argument in COMMAND.findall(source):
        if command == "begin":
            groups.append((argument, current))
            current = argument if argument in STEPPED else current
        elif command == "end" and groups:
            current = groups.pop()[1]
        elif command == "caption":
            inside = [FLOATS[name] for name, _ in groups if name in FLOATS]
            current = inside[-1] if inside else current
        elif command == "label":
            found[argument] = current
        else:
            current = ANCHORS[command]
    return found


SCAN_LABEL = "fig:prefix_sum"
SCAN_FACTS = Sentence(
    "fig.scan",
    Outcome.FAILS,
    "",
    (
        Count(472, 472, r"\begin{figure}[H]\label{fig:prefix_sum}"),
        Count(473, 477, r"\label", 0),
        Count(473, 477, r"\caption"),
        Count(477, 477, r"\end{figure}"),
    ),
)


def moved(source: str, label: str) -> str:
    """The source with a label put behind the next caption."""
    text = f"\\label{{{label}}}"
    before, _, after = source.partition(text)
    start = after.find("\\caption{")
    end = after.find("}", start) + 1
    return f"{before}{after[:end]}{text}{after[end:]}"


@check("fig.scan", needs=("paper",))
def what_the_label_of_the_scan_counts(job: Job) -> Iterator[Evidence]:
    """Step LaTeX's counters through the source, as it is and with the label behind the caption."""
    lines = source_of(job.paper)
    if lines is None:
        told = "paper source not given, or another source"
        yield Evidence("fig.scan", Outcome.UNAVAILABLE, Strength.EXACT, "", told)
        return
    yield from scan_label(lines)


def scan_label(lines: Sequence[str]) -> Iterator[Evidence]:
    """Which number a reference to the figure prints."""
    whole = "\n".join(lines)
    for reading, text in ((Name.LITERAL, whole), (Name.REPAIRED, moved(whole, SCAN_LABEL))):
        anchor = anchors(text).get(SCAN_LABEL, "")
        yield Evidence(
            "fig.scan",
            Outcome.HOLDS if anchor == "figure" else Outcome.FAILS,
            Strength.EXACT,
            "the LaTeX source",
            f"The label {SCAN_LABEL} takes the number of the {anchor or 'nothing'}"
            f"{', once it stands behind the caption' if reading is Name.REPAIRED else ''}.",
            reading=reading,
            engine="counters",
            certificate=certificate(lines, SCAN_FACTS),
            counterexample="" if anchor == "figure" else f"a reference to {SCAN_LABEL}",
            repair="" if anchor == "figure" else "Put the label after the caption.",
            limits="Whether the drawing shows the algorithm is not seen: the image is not there.",
        )
