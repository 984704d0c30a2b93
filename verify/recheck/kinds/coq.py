"""Machine-checked theorems: their statements are compared with the pinned ones; `--coq` runs Coq.

Without Coq the re-checker cannot know that a theorem is proved. It can know which statement is
meant: the text that Coq printed is pinned in `verify/coq/statements.json`, and a certificate with
any other text is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from verify.recheck.errors import Refused, agree, text

TRUST = {
    "coq.theorem": ("machine-checked", "coq"),
    "coq.weights": ("exact", "coq"),
}


def agrees_with_pin(parameters: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """The certificate's statement and assumptions are those that were pinned for the theorem."""
    name = text(parameters, "theorem")
    pinned = json.loads((files("verify") / "coq" / "statements.json").read_text("utf-8"))
    if name not in pinned:
        raise Refused(f"no theorem {name} is pinned")
    for field in ("statement", "assumptions"):
        agree(f"{field} of {name}", values.get(field), pinned[name][field])


def compile_again(parameters: Mapping[str, Any]) -> None:
    """Run Coq on the theorem; a proof it does not accept is refused."""
    from verify.coq.compile import established

    name = text(parameters, "theorem")
    try:
        established([name])
    except (OSError, RuntimeError, ValueError, LookupError) as error:
        raise Refused(f"Coq does not confirm {name}: {error}") from None
