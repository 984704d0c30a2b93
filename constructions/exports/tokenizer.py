"""A tokenizer for an alphabet, as the JSON that `AutoTokenizer.from_pretrained` reads.

Letters of one character may be written together or apart, longer symbols apart. Every word gets
BOS in front; pads are on the left, as `generate` wants them. A letter that is not in the
alphabet becomes the unknown token, and EOS, where words end, is a special token. Decoding puts a blank
before each longer symbol, also the first, so that a text may be continued; letters are joined. Where ▁
is a symbol, it is the blank.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from constructions.automata.ngram import BLANK
from constructions.automata.prediction import EOS
from constructions.core.embedding import BOS
from constructions.core.errors import InputError

FILES = ("tokenizer.json", "tokenizer_config.json")
PAD, UNKNOWN = "<pad>", "<unk>"
SPECIALS = (PAD, UNKNOWN)
FUSE = {"type": "Fuse"}
BEFORE = {"type": "Replace", "pattern": {"Regex": "^"}, "content": " "}
APART = {"type": "Sequence", "decoders": [BEFORE, FUSE]}
UNBLANK = {"type": "Sequence", "decoders": [{**BEFORE, "pattern": {"String": BLANK}}, FUSE]}


def vocabulary(alphabet: Sequence[str]) -> dict[str, int]:
    """Letters by number, then BOS, pad and unknown; refuse letters that a text cannot keep apart."""
    for symbol in alphabet:
        if symbol in (BOS, *SPECIALS) or any(character.isspace() for character in symbol):
            expected = f"no blank in it, and none of {BOS}, {', '.join(SPECIALS)}, for a tokenizer"
            raise InputError("symbol", symbol, expected)
    return {symbol: i for i, symbol in enumerate([*alphabet, BOS, *SPECIALS])}


def tokenizer(alphabet: Sequence[str]) -> dict[str, Any]:
    """The contents of tokenizer.json."""
    words, blank = vocabulary(alphabet), BLANK in alphabet
    parts: list[dict[str, Any]] = [{"type": "WhitespaceSplit"}]
    together = blank or all(len(symbol) == 1 for symbol in alphabet if symbol != EOS)
    if together:
        single = {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated"}
        parts.append({**single, "invert": False})
    names = [name for name in (EOS, BOS, *SPECIALS) if name in words]
    begin = {"SpecialToken": {"id": BOS, "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(words[name], name) for name in names],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": BLANK}
        if blank
        else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": parts},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {BOS: {"id": BOS, "ids": [words[BOS]], "tokens": [BOS]}},
        },
        "decoder": UNBLANK if blank else {"type": "Fuse"} if together else APART,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": UNKNOWN},
    }


def _special(number: int, name: str) -> dict[str, Any]:
    """A token that is taken as a whole, and blanks beside it away."""
    sides = {"single_word": False, "lstrip": True, "rstrip": True}
    return {"id": number, "content": name, **sides, "normalized": False, "special": True}


def files(alphabet: Sequence[str], context: int) -> dict[str, bytes]:
    """The files of the tokenizer."""
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        **({"eos_token": EOS} if EOS in alphabet else {}),
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "padding_side": "left",
        "model_max_length": context,
    }
    return {
        FILES[0]: json.dumps(tokenizer(alphabet), ensure_ascii=False).encode(),
        FILES[1]: json.dumps(settings, indent=1).encode(),
    }
