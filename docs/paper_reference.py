"""The reference at the end of `your-paper.md`: forms, methods and every key of the TOML files, from the code.

python docs/paper_reference.py          print the section
python docs/paper_reference.py --write  replace it in your-paper.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from verify.judge import about, data
from verify.judge.verdict import WEAKER, Verdict, word

PAGE = Path(__file__).with_name("your-paper.md")
BEGIN, END = "<!-- reference: written by paper_reference.py -->", "<!-- end of the reference -->"
EXAMPLES = {
    "universal": "“for every n …”; no finite method covers it",
    "asymptotic": "depth O(log T); a table of sizes proves no O(·)",
    "possibility": "“one can …”; proved by one construction, refuted by an impossibility only",
    "instance": "a number, a cell of a table",
    "definition": "a definition that should be well-formed",
    "history": "what the authors did",
    "measurement": "the result of an experiment",
    "citation": "what another paper shows",
    "view": "motivation, an opinion, an open question; needs a `reason`, has no binding",
}
METHODS = {
    "machine-checked": "Coq accepts the pinned theorem",
    "machine-checked-lean": "Lean accepts the theorem",
    "symbolic": "computer algebra, for all sizes",
    "exact": "whole numbers and fractions",
    "enclosure": "intervals that contain the real number",
    "exhaustive": "every case of the stated part",
    "source": "published code or text says it",
    "sampled": "some cases, drawn at random",
    "observed": "floating-point runs",
    "vouched": "a named person signs; never proves or refutes",
}
TABLES = {
    "paper.toml": about.About,
    "paper.toml: [source]": about.Source,
    "paper.toml: [paper]": about.Reference,
    "paper.toml: [check]": about.Check,
    "paper.toml: [code]": about.Code,
    "paper.toml: [data.NAME]": about.Material,
    "[[statement]] and [[result]]": data.Statement,
    "[[statement.binding]]": data.Binding,
    "repair": data.Repair,
    "[[silent]]": data.Silent,
    "[[finding]]": data.Finding,
    "[[answer]]": data.PageEntry,
    "[[observation]]": data.Observation,
    "[[figure]]": data.Figure,
    "[[condition]]": data.Condition,
    "condition.cells.STATEMENT": data.Cell,
}
NOT_WRITTEN = {"ours", "erratum"}  # set by the name of the table, and by erratum.tex
MEANING = {
    "about": "a few words on the row",
    "aliases": "earlier ids, which still find it",
    "alt": "text for readers who do not see the figure",
    "answered_by": "the statement that answers a question",
    "assumes": "conditions that the paper does not state; the binding then shows only a part",
    "authors": "names",
    "because": "why the outcome entails the statement; the report shows it",
    "bibtex": "the BibTeX entry",
    "binding": "tables `[[statement.binding]]`: which facts decide it",
    "caption": "what to conclude from the figure",
    "cells": "tables by statement id",
    "change": "the smallest change that makes the statement true",
    "check": "the table `[check]`: how your check is cited, [2] in sentences",
    "cite": "a sentence of its own by verdict",
    "clause": "the condition as it follows “under”",
    "code": "the table `[code]`",
    "conditions": "conditions that the paper does not state and the claim needs; part of the sentence",
    "confirmations": "a Python file, or a folder",
    "covers": "of a binding: \"all\", or a text that names a `{parameter}`; "
    "of an answer: beginnings of ids whose findings belong to the row",
    "data": "tables `[data.NAME]`: material of the user's that facts may need",
    "evidence": "ids of the entries that show the state",
    "fact": "the name of a fact",
    "facts": "a Python file, or a folder",
    "figure": "the id of a figure",
    "file": "the LaTeX source in the folder",
    "first_figures": "figures of page one; of each list the first there is",
    "form": "one of the forms above",
    "grade": "`material`, `gap` or `slip`",
    "grades": "another grade for some of the statements it touches",
    "group": "the heading above the condition",
    "id": "letters, digits and `._+-`",
    "impossibility": "the fact, where it holds, shows that the statement is false",
    "instead": "a result that may be cited in its place",
    "interpretation": "`printed`, or `repaired`",
    "key": "the key of the citation",
    "kind": "`curves`, `tree`, `contents` or `errors`",
    "method": "the method of the fact",
    "name": "a name",
    "needs": "a need (`coq`, `torch`, `paper`, a NAME of `[data.NAME]`) and the facts that have it",
    "note": "a remark",
    "notes": "remarks: conventions, how a definition is read",
    "numbered": "the paper's own name, such as Theorem 2",
    "outcome": "`holds`, or `fails` where the fact speaks against the paper",
    "paper": "the table `[paper]`: how the paper is cited, [1] in sentences",
    "parameters": "whole numbers, texts, true or false, lists and tables of these",
    "places": "pairs of lines [first, last] of the source",
    "printed": "the text of the paper",
    "profile": "`quick`, or `full` for a costly computation, which only `assay run --profile full` runs",
    "proofs": "a folder of Coq files",
    "reason": "why there is no verdict, or nothing to state",
    "repair": "of a statement: a table with `change` and `says`; of a finding: the smallest repair, a text",
    "rests_on": "ids of statements that it needs; its standing is no better than theirs",
    "same_as": "another statement that says the same and must get the same verdict",
    "says": "the statement as a clause that follows “that”",
    "section": "the section",
    "sentences": "single sentences LINE:NUMBER, for lines with several (`assay lint --all` lists them)",
    "sha256": "the digest of the source; `assay lint` prints a new one",
    "shown_by": "a statement that it touches and the number of its binding, from 1",
    "source": "the table `[source]`",
    "state": ", ".join(f"`{state}`" for state in data.CELL_STATES),
    "statement": "the id of the statement that answers",
    "statements": "ids of the statements it illustrates",
    "text": "complete in itself, in your own words",
    "title": "a title",
    "tools": "a program, and the facts that it computes",
    "touches": "ids of the statements that it makes false or incomplete",
    "under": "conditions that the paper states",
    "url": "the address of the paper",
    "values": "the value of the fact that is drawn",
    "variable": "the environment variable that says where the material is",
    "venue": "where it appeared",
    "where": "a place",
    "why": "why it fails",
    "witness": "a template; `{names}` are values of the fact",
    "words": "other wordings of the condition",
    "xlabel": "a label", "ylabel": "a label", "xscale": "`linear` or `log`", "yscale": "`linear` or `log`",
    "year": "a whole number",
}  # fmt: skip


def reference() -> str:
    """Return the section in Markdown."""
    return "\n".join([BEGIN, "## Reference", *_forms(), *_methods(), *_tables(), END])


def _forms() -> Iterator[str]:
    yield "### Forms\n\n| form | verdicts, best first | such as |\n|---|---|---|"
    for form in data.FORMS:
        ranks = [rank for rank in Verdict if rank not in (Verdict.BROKEN, Verdict.NONE)]
        words = dict.fromkeys(word(form, rank) for rank in ranks)
        if form == "view":
            words = {Verdict.NONE.value: None}
        yield f"| `{form}` | {', '.join(words)} | {EXAMPLES[form]} |"
    yield ""


def _methods() -> Iterator[str]:
    yield "### Methods\n\nStrongest first; a binding has the method of its fact.\n"
    yield "| method | meaning | proves every size | may refute mathematics | verdict on a part |"
    yield "|---|---|---|---|---|"
    for method in data.METHODS:
        whole = "yes" if method in data.FOR_ALL_SIZES else "no"
        refutes = "yes" if method in data.RIGOROUS else "no"
        partly = WEAKER.get(method, Verdict.CHECKED).value
        yield f"| `{method}` | {METHODS[method]} | {whole} | {refutes} | {partly} |"
    yield ""


def _tables() -> Iterator[str]:
    yield "### Keys of the TOML files\n\nAn unknown key is refused.\n"
    for name, kind in TABLES.items():
        yield f"`{name}`\n\n| key | type | without it | meaning |\n|---|---|---|---|"
        for each in fields(kind):
            if each.name not in NOT_WRITTEN:
                yield f"| `{each.name}` | {_type(each)} | {_default(each)} | {MEANING[each.name]} |"
        yield ""


def _type(each: Field[Any]) -> str:
    kind = str(each.type)
    if kind.startswith("tuple["):
        return "a pair" if "..." not in kind else "a list"
    words = {"str": "text", "int": "whole number", "bool": "true or false"}
    return words.get(kind, "a table")


def _default(each: Field[Any]) -> str:
    if each.default is MISSING and each.default_factory is MISSING:
        return "refused"
    return (
        f"`{str(each.default).lower()}`" if each.default not in ("", (), None, MISSING) else "none"
    )


if __name__ == "__main__":
    if "--write" in sys.argv:
        before, _, after = PAGE.read_text("utf-8").partition(BEGIN)
        rest = after.partition(END)[2] or "\n"
        PAGE.write_text(f"{before.rstrip()}\n\n{reference()}{rest}", "utf-8")
    else:
        print(reference())
