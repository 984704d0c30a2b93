"""The tokenizer's JSON: numbers of symbols, BOS in front, how text is taken apart."""

import json

import pytest

from constructions.core.errors import InputError
from constructions.exports.tokenizer import files, tokenizer, vocabulary


def test_symbols_have_their_numbers_and_bos_the_last():
    assert vocabulary(["x", "yy"]) == {"x": 0, "yy": 1, "<bos>": 2}
    assert vocabulary([]) == {"<bos>": 0}
    for bad in ("a b", "a\tb", "<bos>"):
        with pytest.raises(InputError, match="no blank in it, and not <bos>, for a tokenizer"):
            vocabulary(["a", bad])


def test_single_characters_may_be_written_together():
    parts = tokenizer(["a", "b"])["pre_tokenizer"]["pretokenizers"]
    assert parts == [
        {"type": "WhitespaceSplit"},
        {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False},
    ]
    assert tokenizer(["a", "bb"])["pre_tokenizer"]["pretokenizers"] == parts[:1]


def test_every_word_gets_bos_in_front():
    body = tokenizer(["a"])
    template = [
        {"SpecialToken": {"id": "<bos>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ]
    assert body["post_processor"] == {
        "type": "TemplateProcessing", "single": template, "pair": template,
        "special_tokens": {"<bos>": {"id": "<bos>", "ids": [1], "tokens": ["<bos>"]}},
    }  # fmt: skip
    assert body["added_tokens"] == [
        {"id": 1, "content": "<bos>", "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
    ]  # fmt: skip
    assert body["model"] == {
        "type": "WordLevel",
        "vocab": {"a": 0, "<bos>": 1},
        "unk_token": "<bos>",
    }


def test_the_files_are_json_with_the_context():
    found = files(["a"], 7)
    assert json.loads(found["tokenizer.json"]) == tokenizer(["a"])
    assert json.loads(found["tokenizer_config.json"]) == {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<bos>", "eos_token": "<bos>",
        "pad_token": "<bos>", "padding_side": "right", "model_max_length": 7,
    }  # fmt: skip
