"""The tokenizer's JSON: numbers of symbols, BOS in front, how text is taken apart."""

import json

import pytest

from constructions.core.errors import InputError
from constructions.exports.tokenizer import files, tokenizer, vocabulary


def test_symbols_have_their_numbers_and_special_tokens_come_last():
    assert vocabulary(["x", "yy"]) == {"x": 0, "yy": 1, "<bos>": 2, "<pad>": 3, "<unk>": 4}
    assert vocabulary([]) == {"<bos>": 0, "<pad>": 1, "<unk>": 2}
    for bad in ("a b", "a\tb", "<bos>", "<pad>", "<unk>"):
        with pytest.raises(InputError, match="no blank in it, and none of <bos>, <pad>, <unk>"):
            vocabulary(["a", bad])


def test_the_end_of_a_word_is_a_special_token_and_keeps_letters_together():
    body = tokenizer(["a", "b", "<eos>"])
    assert [token["content"] for token in body["added_tokens"]] == [
        "<eos>",
        "<bos>",
        "<pad>",
        "<unk>",
    ]
    assert len(body["pre_tokenizer"]["pretokenizers"]) == 2
    assert json.loads(files(["a", "<eos>"], 7)["tokenizer_config.json"])["eos_token"] == "<eos>"


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
    assert body["added_tokens"][0] == {
        "id": 1, "content": "<bos>", "single_word": False, "lstrip": True, "rstrip": True,
        "normalized": False, "special": True,
    }  # fmt: skip
    assert body["model"] == {
        "type": "WordLevel",
        "vocab": {"a": 0, "<bos>": 1, "<pad>": 2, "<unk>": 3},
        "unk_token": "<unk>",
    }


def test_the_files_are_json_with_the_context():
    found = files(["a"], 7)
    assert json.loads(found["tokenizer.json"]) == tokenizer(["a"])
    assert json.loads(found["tokenizer_config.json"]) == {
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<bos>", "pad_token": "<pad>",
        "unk_token": "<unk>", "padding_side": "left", "model_max_length": 7,
    }  # fmt: skip
