"""Modules that check whether their weights are still those of their construction.

Passes        fast ones rely on these weights (`constructions.modules.passes`); `current_pass` says which one
              a call would take, `pass_reason` why
Changes       are seen by version counters, which an edit through `.data` leaves alone: call `recheck`
              after one
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import torch
from torch import nn

from constructions.modules.passes import PassKind
from constructions.modules.submodules import has_hooks, parts

Versions = tuple[tuple[int, ...], tuple[int, ...]]
VERSION = attrgetter("_version")
GRADIENTS = "gradients are needed"
FEW_SCORES = 1 << 18  # of a head: up to this number the dense pass is fastest
ROUNDINGS = 8  # of a score; `eps` is twice the unit roundoff


class ConstructionModule(nn.Module):
    """A module that checks whether its weights are still those of its construction."""

    _dense: bool
    _routing: Any = None
    places: nn.Parameter

    def __init__(self) -> None:
        super().__init__()
        self._seen: Versions = (), ()
        self._same, self._warned = True, False
        self.register_load_state_dict_post_hook(_recheck_after_loading)  # type: ignore[no-untyped-call]

    def as_built(self) -> bool:
        """True if the weights that a fast pass relies on are the construction's."""
        raise NotImplementedError

    def recheck(self) -> bool:
        """Compare the weights with the construction's now, and remember the answer.

        Weights without values (on the device `meta`, inside `torch.func`) cannot be
        compared; then the general pass is taken.
        """
        try:
            self._seen = versions(parts(self))
            self._same = self.parameters_on_meta() or self.as_built()
        except RuntimeError:
            self._seen, self._same = ((), ()), False
        return self._same

    def parameters_on_meta(self) -> bool:
        """True if the parameters have shapes and no values."""
        return any(parameter.is_meta for parameter in self.parameters())

    def is_unchanged(self) -> bool:
        """True if the weights are the construction's."""
        return self._unchanged(parts(self))

    def has_routes(self) -> bool:
        """True if the attention targets of the construction are known."""
        return self._routing is not None

    def has_listeners(self) -> bool:
        """True if a hook is registered on a submodule."""
        return has_hooks(parts(self)[1:])

    def current_pass(self) -> PassKind:
        """The pass that a call would take now."""
        raise NotImplementedError

    def score_range(self) -> int:
        """The largest score, relative to the gap between scores."""
        raise NotImplementedError

    def has_few_scores(self) -> bool:
        """True if a head has few scores even for the longest input."""
        return self.places.shape[0] ** 2 <= FEW_SCORES

    def warn_of_scores(self) -> None:
        """Warn once that a hook makes the module compute scores that the format may not resolve."""
        if self._warned or torch.compiler.is_compiling() or not self.has_listeners():
            return
        dtype = self.places.dtype
        if ROUNDINGS * torch.finfo(dtype).eps * self.score_range() > 1:
            self._warned = True
            warnings.warn(
                f"{self.pass_reason()}: scores are computed, and {dtype} may not tell them apart "
                "for long inputs; outputs may differ from those without the hook",
                stacklevel=4,
            )

    def pass_reason(self) -> str:
        """Reason for the pass that a call would take now, in a few words."""
        if self._dense:
            return "dense=True computes all scores"
        if not self.has_routes():
            return "these heads are not known to look at one row each"
        if not self.is_unchanged():
            return "weights differ from the construction's"
        listeners = [name for name, part in self.named_modules() if name and has_hooks([part])]
        if listeners:
            return f"a hook is registered on {listeners[0]}"
        return GRADIENTS if self.needs_gradients() else "weights are as built"

    def _unchanged(self, found: Sequence[nn.Module]) -> bool:
        """True if the weights are the construction's; compared again only after a change."""
        if torch.compiler.is_compiling():
            return self._same
        try:
            current = versions(found)
        except RuntimeError:
            return False
        if current != self._seen:
            self._compare(current)
        return self._same

    def _compare(self, current: Versions) -> None:
        """Compare the weights again after some were written."""
        self.recheck()

    def needs_gradients(self, besides: nn.Parameter | None = None) -> bool:
        """True if any parameter (other than `besides`) requires a gradient."""
        return torch.is_grad_enabled() and any(
            parameter.requires_grad for parameter in self.parameters() if parameter is not besides
        )


def versions(modules: Sequence[nn.Module]) -> Versions:
    """Addresses of the parameters of these modules, and the number of writes to each."""
    parameters = [p for module in modules for p in module._parameters.values() if p is not None]
    return tuple(map(torch.Tensor.data_ptr, parameters)), tuple(map(VERSION, parameters))


def _recheck_after_loading(module: Any, _: object) -> None:
    module.recheck()


def number_out_of_range(numbers: torch.Tensor, most: int) -> int | None:
    """A number that is negative or above `most`; None where values cannot be read, as in a graph."""
    if torch.compiler.is_compiling() or numbers.is_meta or numbers.numel() == 0:
        return None
    try:
        low, high = int(numbers.min()), int(numbers.max())
    except RuntimeError:
        return None
    return low if low < 0 else high if high > most else None
