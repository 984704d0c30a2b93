"""Language models in stock classes: distributions, padding, sampling and loss, by the real libraries."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import assay  # noqa: E402
from verify.automaton.variation import largest_variation  # noqa: E402

LENGTH = 16
MODELS = {
    "trigram-gpt2": (lambda: assay.processes.ngram(["abba", "ab", "b", "abab"], 3), "gpt2"),
    "trigram-llama": (lambda: assay.processes.ngram(["abba", "ab", "b", "abab"], 3), "llama"),
    "mess3-llama": (assay.processes.mess3, "llama"),
    "ghmm-llama": (assay.processes.generalised, "llama"),
    "trigram-olmo2": (lambda: assay.processes.ngram(["abba", "ab", "b", "abab"], 3), "olmo2"),
    "mess3-olmo2": (assay.processes.mess3, "olmo2"),
    "pfa-olmo2": (lambda: assay.automaton_by_name("pfa:3:5"), "olmo2"),
    "pfa-llama": (lambda: assay.automaton_by_name("pfa:3:5"), "llama"),
}


@pytest.fixture(scope="module", params=MODELS)
def loaded(request, tmp_path_factory):
    make, form = MODELS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    order = assay.Order(LENGTH, format=form, head="next", dtype="float32")
    written = assay.export(make(), order, folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return written, model, tokenizer, assay.predictor(make())


def ids(written, source, word):
    numbers = [source.symbols.index(symbol) for symbol in word]
    return torch.tensor([[written.model.simulation.bos, *numbers]])


def test_softmax_is_the_distribution_of_the_next_symbol(loaded):
    written, model, _, source = loaded
    for seed in range(4):
        word = source.sample(LENGTH, Random(seed))
        with torch.no_grad():
            rows = model(ids(written, source, word)).logits[0].double().softmax(-1)
        for row, exact in zip(rows, source.distributions(word), strict=True):
            target = torch.zeros_like(row)
            target[: len(exact)] = torch.tensor([float(p) for p in exact.values()])
            assert float((row - target).abs().sum() / 2) <= written.model.order.error


def test_the_vocabulary_is_the_tokenizers_and_unknown_letters_are_unknown(loaded):
    _, model, tokenizer, _ = loaded
    assert model.config.vocab_size == len(tokenizer)
    assert tokenizer.convert_ids_to_tokens(tokenizer("z")["input_ids"]) == ["<bos>", "<unk>"]
    assert tokenizer.pad_token != tokenizer.bos_token


def test_padding_changes_nothing_with_or_without_a_mask(loaded):
    _, model, tokenizer, source = loaded
    long, short = ("".join(s for s in source.example(6) if len(s) == 1)[:k] for k in (4, 1))
    batch, alone = (
        tokenizer(t, return_tensors="pt", padding=True) for t in ([long, short], [short])
    )
    with torch.no_grad():
        single = model(**alone).logits[0, -1].softmax(-1)
        masked = model(**batch).logits[1, -1].softmax(-1)
        unmasked = model(input_ids=batch["input_ids"]).logits[1, -1].softmax(-1)
    for row in (masked, unmasked):
        assert float((row - single).abs().sum() / 2) < 1e-5, "roundings of float32"


def test_generate_samples_from_the_distribution(loaded):
    written, model, _, source = loaded
    torch.manual_seed(1)
    begin = torch.full((1000, 1), written.model.simulation.bos)
    drawn = Counter(model.generate(begin, max_new_tokens=1)[:, 1].tolist())
    chances = [float(p) for p in source.distribution(()).values()]
    assert set(drawn) <= {i for i, p in enumerate(chances) if p > 0}
    statistic = sum((drawn[i] - 1000 * p) ** 2 / (1000 * p) for i, p in enumerate(chances) if p > 0)
    assert statistic < 20, "below the 0.9999 quantile of chi-squared with three degrees of freedom"


def test_the_loss_is_the_logarithm_of_the_probability(loaded):
    written, model, _, source = loaded
    word = source.sample(LENGTH, Random(9))
    tokens = ids(written, source, word)
    with torch.no_grad():
        loss = float(model(tokens, labels=tokens).loss)
    assert abs(loss + math.log(source.probability(word)) / LENGTH) < 2 * written.model.order.error


def test_a_cache_gives_the_same_logits(loaded):
    written, model, _, source = loaded
    tokens = ids(written, source, source.sample(8, Random(2)))
    with torch.no_grad():
        whole = model(tokens).logits[0, -1].softmax(-1)
        past = model(tokens[:, :-1], use_cache=True).past_key_values
        last = model(tokens[:, -1:], past_key_values=past).logits[0, -1].softmax(-1)
    assert float((whole - last).abs().sum() / 2) < 1e-5, "roundings of float32"


def test_transformer_bridge_gives_the_same_distribution(tmp_path):
    """TransformerLens 4; its default processing of weights changes the numbers, so it is left out."""
    bridge_module = pytest.importorskip("transformer_lens.model_bridge")
    process = assay.processes.ngram(["abba", "ab", "b", "abab"], 3)
    order = assay.Order(LENGTH, format="gpt2", head="next", dtype="float32")
    written = assay.export(process, order, tmp_path / "model")
    bridge = bridge_module.TransformerBridge.boot_transformers(str(written.folder), device="cpu")
    bridge.enable_compatibility_mode(no_processing=True)
    source = assay.predictor(process)
    word = source.sample(LENGTH, Random(3))
    with torch.no_grad():
        rows = bridge(ids(written, source, word))[0].double().softmax(-1)
    for row, exact in zip(rows, source.distributions(word), strict=True):
        target = torch.zeros_like(row)
        target[: len(exact)] = torch.tensor([float(p) for p in exact.values()])
        assert float((row - target).abs().sum() / 2) <= order.error


THREE = assay.families.hmm(
    [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]],
    [["1/5", "1/10", "1/4"], ["1/5", "3/10", "1/4"], ["3/5", "3/5", "1/2"]],
    ["1/3", "1/3", "1/3"], "abc",
)  # fmt: skip
MESS3 = assay.automaton_by_name("mess3:1/20:17/20")  # three states, strongly correlated


def log_probability(written, model, source, word):
    """log p(w) as the stock class has it, and the exact one."""
    tokens = ids(written, source, word)
    with torch.no_grad():
        rows = model(tokens).logits[0].double().log_softmax(-1)
    total = sum(float(rows[t, token]) for t, token in enumerate(tokens[0, 1:]))
    exact = source.probability(word)
    return total, math.log(exact.numerator) - math.log(exact.denominator)


def test_a_word_of_probability_ten_to_the_minus_47_is_right_to_five_digits(tmp_path):
    """Its state is below the certified error of every other format by forty orders of magnitude."""
    source, order = assay.predictor(THREE), assay.Order(64, format="olmo2", head="next", eps="1e-7")
    written = assay.export(THREE, replace(order, dtype="float32"), tmp_path)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    word = "a" * 64
    assert source.probability(word) < Fraction(1, 10**46)
    found, exact = log_probability(written, model, source, word)
    assert abs(math.expm1(found - exact)) < 1e-5
    assert type(model).__name__ == "Olmo2ForCausalLM"
    model.model.layers[3].post_feedforward_layernorm.weight.data *= 0
    found, _ = log_probability(written, model, source, word)
    assert abs(found - exact) > 1, "a stream whose norm is lost is seen"


def test_a_word_of_1024_letters_keeps_its_distributions(tmp_path):
    source, order = assay.predictor(MESS3), assay.Order(1024, format="olmo2", head="next")
    written = assay.export(MESS3, replace(order, dtype="float32", eps="1e-6"), tmp_path)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    word = source.sample(1024, Random(1))
    assert source.probability(word) < Fraction(1, 10**300)
    with torch.no_grad():
        logits = model(ids(written, source, word)).logits[0].double()
    assert largest_variation(logits, source, word) < 1e-6
    assert float(written.guarantee.rounded) < 2e-3


def test_the_loader_reads_the_folder_of_olmo2(tmp_path):
    order = assay.Order(8, format="olmo2", head="next", dtype="float32")
    assay.export(MESS3, order, tmp_path)
    rows = assay.load_model(tmp_path).distributions(["ABC"])[0]
    exact = assay.predictor(MESS3).distributions("ABC")
    for row, chances in zip(rows, exact, strict=True):
        assert row[:3].tolist() == pytest.approx([float(p) for p in chances.values()], abs=1e-4)


def test_a_model_that_says_nothing_in_its_class_is_not_written(tmp_path):
    """GPT-2 in float32 loses the small steps of an HMM: total variation 1."""
    order = assay.Order(LENGTH, format="gpt2", head="next", dtype="float32")
    with pytest.raises(assay.InputError, match="measured in GPT2LMHeadModel"):
        assay.export(assay.processes.mess3(), order, tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("form", ["gpt2", "llama"])
@pytest.mark.parametrize("order", [2, 3, 4])
def test_an_ngram_table_is_a_model_of_a_stock_class(form, order, tmp_path):
    """Padded or not, sampled from, and continued as text; blanks are blanks again."""
    from constructions.automata.ngram import from_text

    text = "to be or not to be\nthat is the question\nor not\n"
    wanted = assay.Order(64, format=form, dtype="float32", head="next")
    written = assay.export(from_text(text, order), wanted, tmp_path)
    assert written.within and float(written.guarantee.rounded) < 1e-4
    assert float(written.guarantee.measured) < 1e-6
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    batch = tokenizer(["to be", "or"], return_tensors="pt", padding=True)
    alone = tokenizer(["or"], return_tensors="pt")
    with torch.no_grad():
        rows = [model(**each).logits[-1, -1].softmax(-1) for each in (batch, alone)]
    assert float((rows[0] - rows[1]).abs().sum() / 2) < 1e-6
    prompt = tokenizer("not to", return_tensors="pt")["input_ids"]
    longer = tokenizer.decode(model.generate(prompt, max_new_tokens=20)[0])
    assert longer.startswith("<bos>not to")
    changed = assay.load_model(tmp_path).distributions(["to▁be"])[0]
    exact = assay.load_model(tmp_path).automaton.distribution("to▁be")
    assert all(
        abs(float(p) - float(q)) < 1e-6 for p, q in zip(changed[-1], exact.values(), strict=False)
    )
