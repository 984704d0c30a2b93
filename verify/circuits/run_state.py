"""Hooks of one run that record activations, or change them according to an intervention.

Stream     x + (v' - x R) W at one position after a block
Heads      what a head has gathered becomes 0, or the value at another position
Edges      the input of one reader loses what one source added: a projection is computed again from the
           changed stream, through the library's own norm and projection
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateHead,
    AblateScratch,
    Interchange,
    Intervention,
    MoveHead,
    RemoveEdge,
)
from constructions.circuits.parts import EMBED, LOGITS, STREAM, Component, Subspace
from constructions.circuits.sites import at_layer
from constructions.core.errors import InputError

if TYPE_CHECKING:
    from verify.circuits.library import Library, StreamReading

Edit = Callable[[torch.Tensor], torch.Tensor]
SIDES = {"query": "Q", "key": "K", "value": "V"}


class RunState:
    """Hooks of one run; recorded activations are indexed by site and layer."""

    def __init__(
        self,
        library: Library,
        stack: ExitStack,
        sources: Mapping[tuple[str, ...], StreamReading] | None = None,
    ) -> None:
        self.library, self.stack, self.sources = library, stack, sources or {}
        self.circuit = library.circuit
        self.seen: dict[tuple[str, int], torch.Tensor] = {}
        self.streams: dict[str, torch.Tensor] = {}
        self.watch("embedding", 0, "embedded")  # before anything changes what is seen
        for layer in range(self.circuit.layers):
            self.watch("middle", layer)

    def module(self, site: str, layer: int) -> tuple[Any, str]:
        """The submodule of a site, and which side of it."""
        name, side = at_layer(self.circuit.sites[site], layer)
        try:
            return self.library.module.get_submodule(name), side
        except AttributeError:
            raise InputError(
                "hook", name, f"a submodule of the {self.library.name} model"
            ) from None

    def on(self, site: str, layer: int, edit: Edit) -> None:
        """Register a change of the values at a site."""
        module, side = self.module(site, layer)
        if side == "input":

            def before(_: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
                return (edit(args[0]), *args[1:])

            handle = module.register_forward_pre_hook(before)
        else:

            def behind(_: Any, args: Any, out: Any) -> Any:
                return (edit(out[0]), *out[1:]) if isinstance(out, tuple) else edit(out)

            handle = module.register_forward_hook(behind)
        self.stack.callback(handle.remove)

    def watch(self, site: str, layer: int, name: str | None = None) -> None:
        """Record the values at a site."""

        def keep(x: torch.Tensor) -> torch.Tensor:
            self.seen[name or site, layer] = x
            return x

        self.on(site, layer, keep)

    def capture(self) -> None:
        """Record all values, after the interventions."""
        self.watch("embedding", 0)
        for layer in range(self.circuit.layers):
            for site in ("after", "mixed", "block", "heads"):
                if site in self.circuit.sites:
                    self.watch(site, layer)
        self.stack.callback(self._name_streams)

    def _name_streams(self) -> None:
        for hook in self.circuit.hooks:
            self.streams[hook.name] = self.seen[hook.site, hook.layer][0].double()

    def apply_all(self, interventions: Sequence[Intervention]) -> None:
        """Register the changes of interventions: first the removed edges, then the others in order."""
        removed: dict[tuple[str, str], list[RemoveEdge]] = {}
        for each in dict.fromkeys(interventions):
            if isinstance(each, RemoveEdge):
                removed.setdefault((each.target, each.input), []).append(each)
        for (target, side), edges in removed.items():
            self.on_reader(target, side, partial(self.view_without_all, edges))
        for each in interventions:
            self.apply(each)

    def apply(self, each: Intervention) -> None:
        """Register the changes of one intervention that removes no edge."""
        match each:
            case Interchange():
                source = self.sources[each.word]
                for given in each.features:
                    name = self.circuit.feature_name(given, each.layer)
                    target = self.library.value(source, each.layer, each.source, name)
                    self.set_feature(each.layer, each.position, name, lambda _, new=target: new)  # type: ignore[misc]
            case AblateFeature():
                name = self.circuit.feature_name(each.feature, each.layer)
                self.set_feature(each.layer, each.position, name,
                                 lambda old: _without(old, each.entry))  # fmt: skip
            case AblateHead():
                self.heads(each.layer, each.head, torch.zeros_like)
            case MoveHead():
                self.move(each)
            case AblateBlock():
                self.on("block", each.layer, torch.zeros_like)
            case AblateScratch():
                name = self.circuit.read_name(each.feature, each.layer)
                self.on("second", each.layer,
                        lambda x: self.without_feature(x, name, each.position))  # fmt: skip

    def set_feature(self, layer: int, position: int, feature: str, new: Edit) -> None:
        """Replace a feature after a layer at a position."""
        read, write = self.library.matrices[feature]
        space = self.circuit.subspaces[feature]

        def edit(x: torch.Tensor) -> torch.Tensor:
            row = x[0, position].double()
            old = row @ read
            changed = row + (new(old) - old) @ write
            return _with_row(x, position, _exact_coordinates(space, new(old), changed))

        self.on("embedding" if layer < 0 else "after", max(layer, 0), edit)

    def without_feature(self, x: torch.Tensor, feature: str, position: int) -> torch.Tensor:
        """The stream without a feature at a position."""
        read, write = self.library.matrices[feature]
        row = x[0, position].double()
        return _with_row(x, position, row - (row @ read) @ write)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        """(batch, t, head, width)."""
        return x if x.ndim == 4 else x.reshape(*x.shape[:2], self.circuit.whole_number("heads"), -1)

    def heads(self, layer: int, head: int, edit: Edit) -> None:
        """Register a change of one head's attended values."""

        def whole(x: torch.Tensor) -> torch.Tensor:
            parts = self.split(x).clone()
            parts[:, :, head] = edit(parts[:, :, head])
            return parts.reshape(x.shape)

        self.on("mixed", layer, whole)

    def move(self, each: MoveHead) -> None:
        """A head gathers the value at max(t - distance, 0)."""
        self.on("value", each.layer, lambda x: self._keep_values(x, each.layer))

        def elsewhere(mixed: torch.Tensor) -> torch.Tensor:
            values = self.seen["value", each.layer][:, :, each.head]
            back = [max(t - each.distance, 0) for t in range(mixed.shape[1])]
            return values[:, back]

        self.heads(each.layer, each.head, elsewhere)

    def columns(self, site: str, x: torch.Tensor) -> slice:
        """The part of a joint projection that is this one."""
        _, _, number = self.circuit.sites[site].partition(" columns ")
        if not number:
            return slice(None)
        width = x.shape[-1] // 3
        return slice(int(number) * width, (int(number) + 1) * width)

    def _keep_values(self, x: torch.Tensor, layer: int) -> torch.Tensor:
        self.seen["value", layer] = self.split(x[..., self.columns("value", x)])
        return x

    def output_of(self, source: str) -> torch.Tensor:
        """Return what a component has added to the stream."""
        part = self.circuit.by_name[source]
        if source == EMBED:
            return self.seen["embedded", 0]
        if part.head is None:
            return self.seen["block", part.layer]
        if "heads" in self.circuit.sites:  # one head a layer, and a norm behind it
            return self.seen["heads", part.layer]
        mixed = self.split(self.seen["mixed", part.layer])
        alone = torch.zeros_like(mixed)
        alone[:, :, part.head] = mixed[:, :, part.head]
        if not self.library.joint:
            attention = self.library.module.get_submodule(f"blocks.{part.layer}.attn")
            return torch.einsum("bthk,hkd->btd", alone, attention.W_O)
        project, _ = self.module("mixed", part.layer)
        flat = alone.reshape(*alone.shape[:2], -1)
        added: torch.Tensor = project.forward(flat) - project.forward(torch.zeros_like(flat))
        return added

    def view_without(self, x: torch.Tensor, each: RemoveEdge) -> torch.Tensor:
        """A reader's view less what the source added, of the features that the edge carries."""
        added = self.output_of(each.source).double()
        carried = [edge.carries for edge in self.circuit.into.get((each.target, each.input), [])
                   if edge.source == each.source]  # fmt: skip
        features = [name for name in (carried[0] if carried else ()) if not self.constant(name)]
        if carried and carried[0]:
            parts = [added @ read @ write
                     for read, write in (self.library.matrices[name] for name in features)]  # fmt: skip
            added = torch.stack(parts).sum(0) if parts else torch.zeros_like(added)
        return (x.double() - added).to(x.dtype)

    def constant(self, name: str) -> bool:
        """Check that a feature is a constant."""
        return any(f.name == name and f.computed.startswith("constant ")
                   for f in self.circuit.features)  # fmt: skip

    def view_without_all(self, edges: Sequence[RemoveEdge], x: torch.Tensor) -> torch.Tensor:
        """Return a reader's view less what the sources of some edges added."""
        for each in edges:
            x = self.view_without(x, each)
        return x

    def on_reader(self, target: str, side: str, edit: Edit) -> None:
        """Register a change of one input of a component."""
        part = self.circuit.by_name[target]
        if target == LOGITS:
            self.on("final", part.layer, edit)
        elif side == STREAM:
            self.on("second", part.layer, edit)
        else:
            self.on(side, part.layer, lambda x: self.project_again(x, part, side, edit))

    def project_again(
        self, old: torch.Tensor, part: Component, input_name: str, edit: Edit
    ) -> torch.Tensor:
        """A projection computed again from the changed input of the head."""
        layer, head = part.layer, part.head
        x = edit(self.seen["after", layer - 1] if layer else self.seen["embedding", 0])
        if not self.library.joint:
            attention = self.library.module.get_submodule(f"blocks.{layer}.attn")
            side = SIDES[input_name]
            weight, bias = getattr(attention, f"W_{side}"), getattr(attention, f"b_{side}")
            new = old.clone()
            new[:, :, head] = (torch.einsum("btd,hdk->bthk", x, weight) + bias)[:, :, head]
            return new
        normalised = self.module("norm", layer)[0].forward(x) if "norm" in self.circuit.sites else x
        whole = self.module(input_name, layer)[0].forward(normalised)
        where = self.columns(input_name, old)
        new = old.clone()
        pieces = self.split(new[..., where]).clone()
        pieces[:, :, head] = self.split(whole[..., where])[:, :, head]
        new[..., where] = pieces.reshape(new[..., where].shape)
        return new


def _with_row(x: torch.Tensor, position: int, row: torch.Tensor) -> torch.Tensor:
    changed = x.clone()
    changed[0, position] = row.to(x.dtype)
    return changed


def _exact_coordinates(space: Subspace, new: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """A feature that lies on coordinates is set without rounding."""
    if space.coordinates is not None:
        row = row.clone()
        row[space.coordinates] = new
    return row


def _without(old: torch.Tensor, entry: int | None) -> torch.Tensor:
    new = old.clone()
    new[slice(None) if entry is None else entry] = 0
    return new
