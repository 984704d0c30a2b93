"""A tokenizer for an alphabet, as the JSON that `AutoTokenizer.from_pretrained` reads.

Letters of one character may be written together or apart, longer symbols apart. Every word gets
BOS in front.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from constructions.core.embedding import BOS
from constructions.core.errors import InputError

FILES = ("tokenizer.json", "tokenizer_config.json")


def vocabulary(alphabet: Sequence[str]) -> dict[str, int]:
    """Letters by number, BOS last; symbols that text cannot hold apart are refused."""
    for symbol in alphabet:
        if symbol == BOS or any(character.isspace() for character in symbol):
            raise InputError("symbol", symbol, f"no blank in it, and not {BOS}, for a tokenizer")
    return {symbol: i for i, symbol in enumerate([*alphabet, BOS])}


def tokenizer(alphabet: Sequence[str]) -> dict[str, Any]:
    """The contents of tokenizer.json."""
    words = vocabulary(alphabet)
    parts: list[dict[str, Any]] = [{"type": "WhitespaceSplit"}]
    if all(len(symbol) == 1 for symbol in alphabet):
        single = {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated"}
        parts.append({**single, "invert": False})
    special = {"id": words[BOS], "content": BOS, "single_word": False, "lstrip": False}
    begin = {"SpecialToken": {"id": BOS, "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{**special, "rstrip": False, "normalized": False, "special": True}],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": parts},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {BOS: {"id": BOS, "ids": [words[BOS]], "tokens": [BOS]}},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": BOS},
    }


def files(alphabet: Sequence[str], context: int) -> dict[str, bytes]:
    """The files of the tokenizer."""
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": BOS,
        "pad_token": BOS,
        "padding_side": "right",
        "model_max_length": context,
    }
    return {
        FILES[0]: json.dumps(tokenizer(alphabet), ensure_ascii=False).encode(),
        FILES[1]: json.dumps(settings, indent=1).encode(),
    }
