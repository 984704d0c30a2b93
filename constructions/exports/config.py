"""config.json of the classes of transformers: GPT-2, and the family of Llama."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from constructions.automata.prediction import EOS
from constructions.core.embedding import DecoderEmbedding
from constructions.exports import tokenizer
from constructions.exports.stock import Shape, shape


@dataclass(frozen=True, kw_only=True)
class Config:
    """The sizes of a model of transformers; `theta` is the base of RoPE."""

    symbols: Sequence[str]
    vocabulary: int
    dtype: str
    width: int
    layers: int
    heads: int
    hidden: int
    context: int
    activation: str
    epsilon: float
    theta: float = 0.0

    @classmethod
    def of(cls, simulation: DecoderEmbedding, dtype: str, epsilon: float, **more: Any) -> Config:
        """The sizes of a decoder with one head; `more` are those of its class."""
        size = shape(simulation)
        made = cls(
            symbols=simulation.symbols,
            vocabulary=vocabulary_size(size),
            dtype=dtype,
            width=size.model,
            layers=size.layers,
            heads=1,
            hidden=size.hidden,
            context=size.context,
            activation=size.activation,
            epsilon=epsilon,
        )
        return replace(made, **more)

    def common(self, kind: str, architecture: str) -> dict[str, Any]:
        """The fields of every class; BOS is the last symbol, and the pad follows it."""
        return {
            "vocab_size": self.vocabulary,
            "tie_word_embeddings": False,
            "bos_token_id": len(self.symbols) - 1,
            "pad_token_id": len(self.symbols),
            "eos_token_id": end_token(self.symbols),
            "dtype": self.dtype,
            "use_cache": True,
            "model_type": kind,
            "architectures": [architecture],
        }

    def gpt2(self) -> dict[str, Any]:
        """The configuration of `GPT2LMHeadModel`."""
        return self.common("gpt2", "GPT2LMHeadModel") | {
            "n_positions": self.context,
            "n_embd": self.width,
            "n_layer": self.layers,
            "n_head": self.heads,
            "n_inner": self.hidden,
            "activation_function": self.activation,
            "layer_norm_epsilon": self.epsilon,
            **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
        }

    def rotary(self, kind: str, architecture: str) -> dict[str, Any]:
        """The configuration of a class of Llama's family."""
        return self.common(kind, architecture) | {
            "hidden_size": self.width,
            "intermediate_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.heads,
            "hidden_act": self.activation,
            "max_position_embeddings": self.context,
            "rms_norm_eps": self.epsilon,
            "rope_parameters": {"rope_type": "default", "rope_theta": self.theta},
            "attention_bias": False,
            "attention_dropout": 0.0,
        }

    def llama(self, head: int) -> dict[str, Any]:
        """The configuration of `LlamaForCausalLM` with heads of a given width."""
        own = {"head_dim": head, "mlp_bias": False}
        return self.rotary("llama", "LlamaForCausalLM") | own


def vocabulary_size(size: Shape) -> int:
    """Return the size of the tokenizer's vocabulary, or the number of outputs if that is larger."""
    return max(size.vocabulary + len(tokenizer.SPECIALS), size.outputs)


def end_token(symbols: Sequence[str]) -> int | None:
    """The number of EOS, if words end."""
    return symbols.index(EOS) if EOS in symbols else None
