"""The user's automaton: hypotheses of the theorems, sizes of models, error bounds.

`report.report` gives every hypothesis with its witness, sizes, C, errors and formats as one value;
`reports.automaton` shows it on a screen, as Markdown, as a page and as data.

Start at `report`. Wording (`sentence`) can be changed freely; `quantities`, `rounding*` and `certificate`
compute what is certified, and the tests attack them.
"""
