"""Assay: what of a theory paper may be cited, and a transformer that simulates your own automaton.

    >>> import assay
    >>> counter = assay.WFA.of([0, 1], {"a": [[1, 0], [1, 1]], "b": [[1, 0], [0, 1]]}, [1, 0])
    >>> print(*[count for count, _ in assay.theorem1.build(counter, length=6).states("abbaab")])
    0 1 1 1 2 3 3

These names are the whole public interface. Each is imported when it is first used, so that
`import assay` is quick and PyTorch is needed only by what uses it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from constructions import (
        __version__,
        arithmetic,
        decoder,
        decoder_tree,
        logdepth,
        theorem1,
        theorem2,
        theorem3,
    )
    from constructions.automata import families, processes, strategies, trees
    from constructions.automata.named import automaton_by_name
    from constructions.automata.prediction import predictor
    from constructions.automata.reduction import (
        difference,
        equal,
        minimal_automaton,
        reachable_reduction,
    )
    from constructions.automata.wfa import WFA
    from constructions.automata.wta import WTA
    from constructions.circuits import interventions
    from constructions.circuits.circuit import Circuit
    from constructions.circuits.file import load_circuit
    from constructions.core.errors import InputError
    from constructions.core.sizes import sizes
    from constructions.exports.loading import FolderModel
    from constructions.exports.loading import load as load_model
    from constructions.exports.order import Order
    from constructions.files.formats import load
    from constructions.files.reader import to_json
    from constructions.modules import to_torch
    from constructions.modules.decoder import DecoderModule
    from constructions.running.patterns import Pattern
    from constructions.running.simulation import TreeView, WordView
    from constructions.variants import theorem2_clean, theorem3_clean
    from reports.automaton import curve as error_curve
    from verify.automaton.answer import inspect
    from verify.automaton.explaining import explain
    from verify.automaton.exporting import export
    from verify.automaton.precision import precision
    from verify.bounds.decoder_sweep import needed_saturations
    from verify.bounds.saturation import required_fineness, required_saturation
    from verify.circuits.check import check as check_circuit
    from verify.circuits.references import reference as reference_answer
    from verify.circuits.score import score as score_answer
    from verify.facts.registry import fact
    from verify.judge.outcome import Outcome
    from verify.recheck.declarations import confirms
    from verify.recheck.errors import Answer, Refused
    from verify.record.source import cite, published_figures

# name: the module it is (a module), or the module that defines it and its name there
_HOMES = {
    "Circuit": ("constructions.circuits.circuit", "Circuit"),
    "Answer": ("verify.recheck.errors", "Answer"),
    "Outcome": ("verify.judge.outcome", "Outcome"),
    "Refused": ("verify.recheck.errors", "Refused"),
    "confirms": ("verify.recheck.declarations", "confirms"),
    "fact": ("verify.facts.registry", "fact"),
    "WFA": ("constructions.automata.wfa", "WFA"),
    "WTA": ("constructions.automata.wta", "WTA"),
    "DecoderModule": ("constructions.modules.decoder", "DecoderModule"),
    "FolderModel": ("constructions.exports.loading", "FolderModel"),
    "InputError": ("constructions.core.errors", "InputError"),
    "Order": ("constructions.exports.order", "Order"),
    "Pattern": ("constructions.running.patterns", "Pattern"),
    "TreeView": ("constructions.running.simulation", "TreeView"),
    "WordView": ("constructions.running.simulation", "WordView"),
    "__version__": ("constructions", "__version__"),
    "arithmetic": ("constructions.arithmetic", ""),
    "automaton_by_name": ("constructions.automata.named", "automaton_by_name"),
    "check_circuit": ("verify.circuits.check", "check"),
    "cite": ("verify.record.source", "cite"),
    "decoder": ("constructions.decoder", ""),
    "decoder_tree": ("constructions.decoder_tree", ""),
    "difference": ("constructions.automata.reduction", "difference"),
    "equal": ("constructions.automata.reduction", "equal"),
    "error_curve": ("reports.automaton", "curve"),
    "explain": ("verify.automaton.explaining", "explain"),
    "export": ("verify.automaton.exporting", "export"),
    "families": ("constructions.automata.families", ""),
    "inspect": ("verify.automaton.answer", "inspect"),
    "interventions": ("constructions.circuits.interventions", ""),
    "load": ("constructions.files.formats", "load"),
    "load_circuit": ("constructions.circuits.file", "load_circuit"),
    "load_model": ("constructions.exports.loading", "load"),
    "logdepth": ("constructions.logdepth", ""),
    "minimal_automaton": ("constructions.automata.reduction", "minimal_automaton"),
    "needed_saturations": ("verify.bounds.decoder_sweep", "needed_saturations"),
    "precision": ("verify.automaton.precision", "precision"),
    "predictor": ("constructions.automata.prediction", "predictor"),
    "processes": ("constructions.automata.processes", ""),
    "published_figures": ("verify.record.source", "published_figures"),
    "reachable_reduction": ("constructions.automata.reduction", "reachable_reduction"),
    "reference_answer": ("verify.circuits.references", "reference"),
    "required_fineness": ("verify.bounds.saturation", "required_fineness"),
    "required_saturation": ("verify.bounds.saturation", "required_saturation"),
    "score_answer": ("verify.circuits.score", "score"),
    "sizes": ("constructions.core.sizes", "sizes"),
    "strategies": ("constructions.automata.strategies", ""),
    "theorem1": ("constructions.theorem1", ""),
    "theorem2": ("constructions.theorem2", ""),
    "theorem2_clean": ("constructions.variants.theorem2_clean", ""),
    "theorem3": ("constructions.theorem3", ""),
    "theorem3_clean": ("constructions.variants.theorem3_clean", ""),
    "to_json": ("constructions.files.reader", "to_json"),
    "to_torch": ("constructions.modules", "to_torch"),
    "trees": ("constructions.automata.trees", ""),
}

__all__ = [
    "WFA",
    "WTA",
    "Answer",
    "Circuit",
    "DecoderModule",
    "FolderModel",
    "InputError",
    "Order",
    "Outcome",
    "Pattern",
    "Refused",
    "TreeView",
    "WordView",
    "__version__",
    "arithmetic",
    "automaton_by_name",
    "check_circuit",
    "cite",
    "confirms",
    "decoder",
    "decoder_tree",
    "difference",
    "equal",
    "error_curve",
    "explain",
    "export",
    "fact",
    "families",
    "inspect",
    "interventions",
    "load",
    "load_circuit",
    "load_model",
    "logdepth",
    "minimal_automaton",
    "needed_saturations",
    "precision",
    "predictor",
    "processes",
    "published_figures",
    "reachable_reduction",
    "reference_answer",
    "required_fineness",
    "required_saturation",
    "score_answer",
    "sizes",
    "strategies",
    "theorem1",
    "theorem2",
    "theorem2_clean",
    "theorem3",
    "theorem3_clean",
    "to_json",
    "to_torch",
    "trees",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    home, inside = _HOMES[name]
    module = importlib.import_module(home)
    value = getattr(module, inside) if inside else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """All public names, imported or not."""
    return sorted(__all__)
