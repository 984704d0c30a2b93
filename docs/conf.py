"""How the site is built: MyST pages, notebooks that are run, the API from docstrings.

Sphinx with MyST and Furo, because the sciences' Python packages use them and they are maintained;
mkdocs 1.x is not any more. Nothing is fetched when a page is shown.
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
    """Docstrings are plain text with `code` in single quotes; Sphinx would read them as its own markup.

    A module's docstring opens like a page of the paper, with a table of words, and is shown as it stands.
    """
    if what == "module":
        lines[1:] = ["", "::", "", *(f"    {line}" for line in lines[1:]), ""]
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
    """Put the published report beside the pages, as it is."""
    if exception is None:
        shutil.copytree(
            ROOT / "reports" / "published", app.outdir / "verdicts-page", dirs_exist_ok=True
        )


def add_proofs(app: Sphinx, exception: Exception | None) -> None:
    """Put coqdoc's pages beside the others; it takes two minutes, so `-t proofs` asks for it."""
    if exception is None and app.tags.has("proofs") and shutil.which("coqdoc"):
        from verify.coq.graph import write

        print(write(app.outdir / "proofs-pages"))


def setup(app: Sphinx) -> None:
    """Add what is rendered by other programs."""
    app.connect("autodoc-process-docstring", read_as_markdown, priority=400)
    app.connect("build-finished", add_verdicts)
    app.connect("build-finished", add_proofs)
