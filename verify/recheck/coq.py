"""Re-checks that a machine-checked theorem is the one that is shipped beside this program.

`coq.theorem`  file, hash, theorem, its statement and what it assumes; and the files it is built on

The files are hashed again and read again: the theorem stands in its file with that statement, it
is followed by a proof that ends with `Qed`, neither it nor a file it is built on leaves a gap or
adds an axiom, and it assumes at most the three axioms of Coq's real numbers. Coq itself is not
run here; `python -m verify.coq.compile` does that.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from verify.recheck.errors import Refused, agree, only, sequence, text

Body = Mapping[str, Any]

SOURCES = Path(__file__).resolve().parents[1] / "coq"
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
GAPS = ("Admitted", "admit", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "Abort")
FIELDS = {"kind", "file", "sha256", "theorem", "statement", "assumptions", "requires"}


def read(name: str) -> bytes:
    """A file of the development, by its plain name."""
    if not re.fullmatch(r"[A-Z]\w*\.v", name):
        raise Refused(f"file {name!r}: expected the plain name of a Coq file")
    try:
        return (SOURCES / name).read_bytes()
    except OSError as error:
        raise Refused(f"file {name}: {error.strerror}") from None


@cache
def without_comments(source: str) -> str:
    """The source with its comments taken out, character by character, nesting counted."""
    kept: list[str] = []
    depth = at = 0
    while at < len(source):
        pair = source[at : at + 2]
        if pair == "(*":
            depth, at = depth + 1, at + 2
        elif pair == "*)" and depth:
            depth, at = depth - 1, at + 2
        else:
            if not depth:
                kept.append(source[at])
            at += 1
    return "".join(kept)


def sentences(name: str) -> list[str]:
    """The sentences of a file: they end with a full stop and white space."""
    plain = without_comments(read(name).decode("utf-8"))
    return [" ".join(piece.split()) for piece in re.split(r"\.(?=\s|$)", plain)]


def proved(name: str, theorem: str) -> str:
    """The statement of a theorem that is followed by a proof and its `Qed`."""
    found = sentences(name)
    for place, sentence in enumerate(found):
        words = sentence.split(maxsplit=2)
        if len(words) == 3 and words[0] in {"Theorem", "Corollary"} and words[1] == theorem:
            ends = next((s for s in found[place:] if s in {"Qed", "Defined"}), "")
            if not found[place + 1].startswith("Proof") or ends != "Qed":
                raise Refused(f"{name}: {theorem} has no proof that ends with Qed")
            return words[2].removeprefix(":").strip()
    raise Refused(f"{name}: no theorem is called {theorem}")


def without_gaps(name: str) -> None:
    """Refuse a file that leaves something out or assumes something of its own."""
    words = set(re.findall(r"\w+", without_comments(read(name).decode("utf-8"))))
    for gap in GAPS:
        if gap in words:
            raise Refused(f"{name} holds the word {gap}")


def built_on(name: str) -> set[str]:
    """The files of the development that a file requires, directly or not."""
    found: set[str] = set()
    pending = [name]
    while pending:
        for sentence in sentences(pending.pop()):
            if sentence.startswith("From Assay Require Import "):
                new = {f"{module}.v" for module in sentence.split()[4:]} - found
                found |= new
                pending += new
    return found


def theorem(body: Body) -> str:
    """A theorem of the shipped development, with its statement and its assumptions."""
    only(body, FIELDS)
    file, name = text(body, "file"), text(body, "theorem")
    agree(f"hash of {file}", text(body, "sha256"), hashlib.sha256(read(file)).hexdigest())
    agree(f"statement of {name}", text(body, "statement"), proved(file, name))
    stated = body["requires"]
    if not isinstance(stated, dict):
        raise Refused("field 'requires': expected files with their hashes")
    agree(f"files that {file} is built on", sorted(stated), sorted(built_on(file)))
    for other, digest in stated.items():
        agree(f"hash of {other}", digest, hashlib.sha256(read(other)).hexdigest())
    for other in (file, *stated):
        without_gaps(other)
    assumed = sequence(body, "assumptions")
    if strange := [axiom for axiom in assumed if axiom not in AXIOMS]:
        raise Refused(f"{name} assumes {strange[0]!r}")
    count = f"{len(assumed)} axioms of the reals" if assumed else "no axioms"
    return f"{file} states and proves {name} ({count}; {len(stated) + 1} files hashed)"


VALIDATORS: dict[str, Callable[[Body], str]] = {"coq.theorem": theorem}
