"""`assay zoo --benchmark v1`: models with known circuits, words with exact answers, and checksums.

Folder       one a model: a plain Hugging Face folder with circuit.json, truth.json,
             train.jsonl, test.jsonl
Words        drawn by the model's seed: from the process where it is a language model, else letters at
             random; every answer is exact (rationals), log-probabilities have 17 digits
Same bytes   no file has a time, a path or a measured number in it; SHA256SUMS lists them all
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import flint

from constructions.automata.prediction import predictor
from constructions.automata.wfa import WFA
from constructions.circuits.circuit import Circuit
from constructions.circuits.file import FILE, from_document, to_bytes, write_number
from constructions.core.atomic_files import vacant, write_folder
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.exports.built_model import ExportModel, Guarantee
from constructions.exports.card import card
from constructions.exports.circuit import circuit_of
from constructions.exports.folder import CARD, DESCRIPTION, contents
from constructions.exports.formats import Files
from constructions.exports.huggingface import CONFIG
from constructions.exports.safetensors import WEIGHTS
from constructions.exports.stock import typed
from verify.automaton.certificate import upper
from verify.automaton.constants import choose, reduce
from verify.automaton.export import make
from verify.bounds.decoder import BITS
from verify.bounds.decoder_rounding import exact_error
from verify.bounds.norms import largest
from verify.circuits.catalogue import VERSIONS, BenchmarkModel
from verify.circuits.circuit_setting import setting_of
from verify.circuits.disguise import DECOY_SIZE, DISGUISES
from verify.circuits.edges import candidates, eap_graph
from verify.circuits.stream_map import DisguisedModel
from verify.circuits.truth import truth

SCHEMA = "assay-benchmark-1"
TRAIN, TEST = 64, 32  # words
TRUTH, SUMS, LIST = "truth.json", "SHA256SUMS", "benchmark.json"
EDGES, EAP_IG = "edges.json", "eap_ig.json"
CHANGED = (
    "The stream is disguised ({disguise}): its coordinates are those of circuit.json alone. In exact "
    "arithmetic the outputs are those of the model that was certified."
)
README = """# Known circuits, benchmark {version}

{count} small transformers whose inner workings are known exactly: weighted automata, written into the
weights of transformers, some of them disguised. They are a sanity check for tools, not a leaderboard. Made
by `assay zoo --benchmark {version}` of Assay {assay}; the same command makes the same bytes
(`sha256sum -c SHA256SUMS`).

A folder has `config.json` and `model.safetensors` (`AutoModelForCausalLM.from_pretrained` loads it, in a
stock class of Hugging Face transformers), a tokenizer, the automaton, and

- `circuit.json`: which subspace of which hook holds which quantity, where every head reads, which edge
  carries what;
- `edges.json`: the edges and components that are scored, without the truth, for a tool to rank;
- `truth.json`: which of them matter, each with a word on which its removal changes an output, and which
  edges are positional: they tell a head where it is, and patching between words of one length cannot see
  them;
- `eap_ig.json`: the same truth as a graph that EAP-IG's `Graph.from_json` reads;
- `train.jsonl`, `test.jsonl`: up to {train} and {test} words with exact answers at every position: states,
  or distributions of the next symbol and the log-probability.

`assay circuit check FOLDER` makes interventions in the library and holds them against exact predictions;
`assay score FOLDER answer.json` scores what was found. Attention is softmax in every model: *sharp* is a
certified error of at most 1e-8, so that a head reads one position, *soft* one of at most 1e-2. It is the
error of a state (Euclidean) or of the distribution of the next symbol (total variation), in exact arithmetic.

{head}
|---|---|---|---|---|---|---|---|---|---|---|---|---|
{rows}
"""


HEAD = ("model", "automaton", "states", "outputs", "T", "class", "error", "disguise", "layers", "heads",
        "width", "parameters", "edges that matter")  # fmt: skip


def table_row(cells: Sequence[Any]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


@dataclass(frozen=True)
class BenchmarkRow:
    """A row of the table in the README."""

    entry: BenchmarkModel
    facts: dict[str, Any]

    def line(self) -> str:
        """One row of the README."""
        e, f = self.entry, self.facts
        outputs = "next symbol" if e.language else "states"
        listed = (e.name, e.family, f["states"], outputs, e.order.length, e.order.format,
                  f["certified_error"], e.disguise, f["layers"], f["heads"], f["width"],
                  f["parameters"], f"{f['edges_that_matter']} of {f['edges']}")  # fmt: skip
        return table_row(listed)


def disguise_files(
    entry: BenchmarkModel, built: ExportModel, guarantee: Guarantee, most: Fraction = Fraction(0)
) -> tuple[Files, DisguisedModel]:
    """The files of a folder in its disguise, but for the words."""
    from safetensors.numpy import load, save

    files = contents(built, replace(guarantee, measured=None, sample="", rounded=None, scale=None))
    circuit = from_document(json.loads(files[FILE]))
    plain = DisguisedModel(json.loads(files[CONFIG]), load(files[WEIGHTS]), circuit, most)
    model = DISGUISES[entry.disguise](plain, Random(entry.seed))
    body = json.loads(files[DESCRIPTION])
    if entry.disguise != "none":
        files[CONFIG] = document(model.config)
        files[WEIGHTS] = save(typed(model.weights, built.order.dtype), {"format": "pt"})
        files[FILE] = to_bytes(model.circuit)
        body = describe(body, entry, model)
        files[CARD] = card(body, files["load.py"].decode()).encode()
    body["files"] = {name: hashlib.sha256(content).hexdigest()
                     for name, content in files.items() if name != DESCRIPTION}  # fmt: skip
    files[DESCRIPTION] = document(body)
    return files, model


def document(body: dict[str, Any]) -> bytes:
    """JSON, one field a line."""
    return (json.dumps(body, indent=1, ensure_ascii=False) + "\n").encode()


def describe(body: dict[str, Any], entry: BenchmarkModel, model: DisguisedModel) -> dict[str, Any]:
    """model.json of a disguised model."""
    sizes = body["sizes"] | {
        "layers": model.circuit.layers,
        "heads": model.circuit.whole_number("heads"),
        "d_model": model.width,
    }
    hidden = model.config.get("intermediate_size", body["sizes"]["d_mlp"])
    limits = [*body["limits"], CHANGED.format(disguise=entry.disguise)]
    return body | {
        "sizes": sizes | {"d_mlp": hidden},
        "coordinates": {},
        "limits": limits,
        "disguise": entry.disguise,
    }


def words_of(automaton: WFA, entry: BenchmarkModel, random: Random) -> list[tuple[str, ...]]:
    """Different words: of the process, or of random letters."""
    length, source = entry.order.length, predictor(automaton) if entry.language else None
    listed: dict[tuple[str, ...], None] = {}
    for attempt in range(8 * (TRAIN + TEST)):
        count = length if attempt % 2 else random.randint(1, length)
        if source is None:
            word = tuple(random.choice(automaton.alphabet) for _ in range(count))
        else:
            word = tuple(source.sample(count, random))
        listed.setdefault(word)
        if len(listed) == TRAIN + TEST:
            break
    return list(listed)


def answers(automaton: WFA, entry: BenchmarkModel) -> Callable[[Sequence[str]], dict[str, Any]]:
    """The exact answers of a word, at every position."""
    if not entry.language:
        return lambda word: {
            "word": list(word),
            "states": [[write_number(x) for x in state] for state in automaton.states(word)],
        }
    source = predictor(automaton)

    def language(word: Sequence[str]) -> dict[str, Any]:
        rows = source.distributions(word)
        with flint.ctx.workprec(128):
            logarithm = ball(source.probability(word)).log()
        return {
            "word": list(word),
            "symbols": list(source.symbols),
            "distributions": [[write_number(p) for p in row.values()] for row in rows],
            "log_probability": logarithm.str(17, radius=False),
        }

    return language


def lines(records: Sequence[dict[str, Any]]) -> bytes:
    """One record a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def words_to_train(count: int) -> int:
    """Return the number of words for training: two thirds of them, and at least one."""
    return max(1, count * TRAIN // (TRAIN + TEST))


def model_files(entry: BenchmarkModel) -> tuple[Files, BenchmarkRow]:
    """All files of one model, and its row."""
    automaton = entry.automaton()
    built, guarantee = make(automaton, entry.built_order)
    most = Fraction(0)
    if entry.disguise == "decoy":
        most, guarantee = certify_decoy(entry, built, guarantee)
    files, model = disguise_files(entry, built, guarantee, most)
    words = words_of(automaton, entry, Random(entry.seed))
    answer = answers(automaton, entry)
    cut = words_to_train(len(words))
    files["train.jsonl"] = lines([answer(word) for word in words[:cut]])
    files["test.jsonl"] = lines([answer(word) for word in words[cut:]])
    longest = sorted(words, key=len, reverse=True)
    known = truth(model.circuit, longest)
    files[TRUTH] = document(known)
    files[EDGES] = document(candidates(known))
    files[EAP_IG] = document(eap_graph(model.circuit, known))
    facts = facts_of(entry, model, guarantee, model.circuit, known)
    return files, BenchmarkRow(entry, facts | {"states": automaton.n})


def certify_decoy(
    entry: BenchmarkModel, built: ExportModel, guarantee: Guarantee
) -> tuple[Fraction, Guarantee]:
    """Return a bound on |X|² of the windows of all words, and the guarantee beside a decoy of them.

    |X|² is at most n times the square of the spectral norm; 1 is added for what the model is off by.
    """
    facts = choose(entry.automaton(), built.order, reduce(entry.automaton(), built.order)).facts
    if facts is None:
        raise InputError("disguise", entry.disguise, "a decoder with bounded windows")
    with flint.ctx.workprec(BITS):
        reach = ceiling(largest([facts.reach + 1, *facts.distances]) + 1)
        most = Fraction(facts.n * reach * reach)
        setting = replace(setting_of(circuit_of(built)), noise=ball(DECOY_SIZE**2 * most))
        error = exact_error(facts, setting)
    if not error <= ball(entry.order.error):
        raise InputError(
            "disguise", entry.disguise, "norms whose error the decoy does not increase too much"
        )
    return most, replace(guarantee, error=upper(error))


def facts_of(
    entry: BenchmarkModel,
    model: DisguisedModel,
    guarantee: Guarantee,
    circuit: Circuit,
    known: dict[str, Any],
) -> dict[str, Any]:
    """Return the record of a model in benchmark.json."""
    return {
        "folder": entry.name,
        "family": entry.family,
        "seed": entry.seed,
        "certified_error": guarantee.error,
        "error_of": guarantee.quantity,
        "layers": circuit.layers,
        "heads": circuit.whole_number("heads"),
        "width": model.width,
        "parameters": sum(int(weight.size) for weight in model.weights.values()),
        "edges": len(known["edges"]),
        "edges_that_matter": sum(edge["matters"] for edge in known["edges"]),
    }


def write_benchmark(
    version: str,
    out: Path,
    force: bool = False,
    chosen: Sequence[str] | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> list[BenchmarkRow]:
    """Write the models of a version, or some of them, each in its folder.

    Examples:
        >>> import tempfile
        >>> rows = write_benchmark("v1", Path(tempfile.mkdtemp()), chosen=[next(iter(VERSIONS["v1"]())).name])
        >>> len(rows)
        1

    """
    from constructions import __version__

    if version not in VERSIONS:
        raise InputError("--benchmark", version, f"one of {', '.join(VERSIONS)}")
    vacant(out, force)
    rows, sums = list[BenchmarkRow](), Files()
    for entry in VERSIONS[version]():
        if chosen is None or entry.name in chosen:
            progress(entry.name)
            files, row = model_files(entry)
            write_folder(out / entry.name, files, "--out")
            sums |= {f"{entry.name}/{name}": content for name, content in files.items()}
            rows.append(row)
    readme = README.format(version=version, count=len(rows), assay=__version__, train=TRAIN, test=TEST,
                           head=table_row(HEAD), rows="\n".join(row.line() for row in rows))  # fmt: skip
    top = {
        "README.md": readme.encode(),
        LIST: document({"schema": SCHEMA, "version": version, "assay": __version__,
                        "models": [row.facts for row in rows]}),
    }  # fmt: skip
    listed = sorted((sums | top).items())
    checksums = "".join(
        f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in listed
    )
    write_folder(out, top | {SUMS: checksums.encode()}, "--out")
    return rows
