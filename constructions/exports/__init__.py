"""Decoders in the formats of other people's libraries; none of these libraries is needed to write.

transformerlens   a config and a state dict for `HookedTransformer`
gpt2, llama       a folder for `from_pretrained`, with a tokenizer for the alphabet
pt2               a graph of `torch.export`, which needs torch alone
safetensors       the weights by name, for Assay itself and for whoever reads them
"""
