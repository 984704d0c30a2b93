"""Models to take away: one order, one folder, one limit, one loader, and a module for each format.

order             the model to build and its options; `settle` makes the choices that are left open
build, limit      the exact simulation of an order, and the size of its weights in bytes
built_model       the built model and its guarantee, the two values that become a folder
folder, card      the files of every folder; `loader` reads any of them
formats           a format is an object; safetensors, transformerlens, gpt2, llama, olmo2, npz are one
                  module each, and none needs its library to write
stock, textbook   a decoder's weights in the shapes that libraries share, and its pass in a few lines

Start at `order` and `folder`. A new format is one module; written file formats have a version number.
"""
