"""Constructions as ordinary `torch.nn.Module`s, with passes that use the known targets of the heads.

Start at `word_module`. A pass may be replaced freely: `dense=True` is the definition that all are tested
against.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from constructions.modules.decoder import DecoderModule
    from constructions.modules.tree_module import TreeModule
    from constructions.modules.word_module import SequenceModule


def to_torch(
    simulation: Any, dtype: torch.dtype | None = None, dense: bool = False
) -> SequenceModule | TreeModule | DecoderModule:
    """Any built simulation as a module: a word model, a tree model, or a decoder.

    `dtype` is float64 unless given. Without gradients the module may run the automaton's recurrence
    instead of the transformer (`current_pass` names the pass of a call); `dense=True` forces the
    transformer's pass, with all scores of a head at once.

    Examples:
        >>> from constructions import theorem1
        >>> from constructions.automata.families import counting
        >>> to_torch(theorem1.build(counting(), 8)).weight(["0100", "11", ""]).tolist()
        [3.0, 0.0, 0.0]

    """
    import torch

    from constructions.automata.wfa import WFA
    from constructions.core.embedding import DecoderEmbedding
    from constructions.modules import tree_module, word_module
    from constructions.modules.decoder import DecoderModule

    kind = torch.float64 if dtype is None else dtype
    if isinstance(simulation, DecoderEmbedding):
        return DecoderModule(simulation, kind, dense)
    if isinstance(simulation.automaton, WFA):
        return word_module.to_torch(simulation, kind, dense)
    return tree_module.to_torch(simulation, kind, dense)
