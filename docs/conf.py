"""Configuration of the site: MyST pages, code cells that are run, the API from docstrings.

Sphinx with MyST and Furo, which are maintained and common among scientific Python packages. Nothing is
fetched when a page is shown.
"""

import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

from sphinx.application import Sphinx

import assay

ROOT = Path(__file__).resolve().parents[1]

project = "Assay"
author = "The Assay authors"
copyright = "The Assay authors, Apache-2.0"
version = release = assay.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["sample", "examples", "second-paper", "picture.py"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
# A console block without its prompt is what one wants to paste.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Pages with code cells are run at every build, and an error ends it. Notebooks need libraries that
# the site does without; they are run in the tests, and shown with the outputs they were saved with.
nb_execution_mode = "force"
nb_execution_excludepatterns = ["*.ipynb"]
nb_execution_raise_on_error = True
nb_execution_timeout = 300

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"Assay {release}"
html_static_path = ["_static"]
html_css_files = ["assay.css"]
html_show_sourcelink = False

# Modules of the public package are imported on first use, under the names of their homes; autodoc
# looks for them under the names by which people import them.
for name in assay.__all__:
    value = getattr(assay, name)
    if isinstance(value, ModuleType):
        sys.modules[f"assay.{name}"] = value


def read_as_markdown(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Escape markup in docstrings, which are plain text with `code` in single quotes.

    A module's docstring has a table of its notation and is shown as plain text.
    """
    if what == "module":
        if rest := [line for line in lines[1:] if line.strip()] and lines[1:]:
            lines[1:] = ["", "::", "", *(f"    {line}" for line in rest), ""]
        return
    example = False
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            lines[i] = re.sub(r"`[^`]+`|[|*]", _marked, line)


def _marked(match: re.Match[str]) -> str:
    text = match[0]
    return f"`{text}`" if len(text) > 1 else f"\\{text}"


def add_verdicts(app: Sphinx, exception: Exception | None) -> None:
    """Copy the published report into the site."""
    if exception is None:
        shutil.copytree(
            ROOT / "reports" / "published", app.outdir / "verdicts-page", dirs_exist_ok=True
        )


def add_proofs(app: Sphinx, exception: Exception | None) -> None:
    """Add coqdoc's pages, if the site is built with `-t proofs` (two minutes)."""
    if exception is None and app.tags.has("proofs") and shutil.which("coqdoc"):
        from verify.coq.graph import write

        print(write(app.outdir / "proofs-pages"))


def setup(app: Sphinx) -> None:
    """Connect the functions above to Sphinx."""
    app.connect("autodoc-process-docstring", read_as_markdown, priority=400)
    app.connect("build-finished", add_verdicts)
    app.connect("build-finished", add_proofs)
