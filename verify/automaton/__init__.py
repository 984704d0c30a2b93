"""The reader's own automaton: what the theorems give it, how large, with what error.

`report.report` gives every hypothesis with its witness, sizes, C, errors and formats as one value;
`reports.automaton` shows it on a screen, as Markdown, as a page and as data.
"""
