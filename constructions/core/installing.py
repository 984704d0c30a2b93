"""Command that installs an optional extra: from the published address, or from a clone."""

import constructions


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra.

    Examples:
        >>> how_to_install("torch")
        "pip install '.[torch]' in the clone"

    """
    if constructions.__url__:
        return f"pip install 'assay-wfa[{extra}] @ git+{constructions.__url__}'"
    return f"pip install '.[{extra}]' in the clone"
