from constructions.automata.strategies import alphabets as alphabets
from constructions.automata.strategies import automata as automata
from constructions.automata.strategies import probabilistic_automata as probabilistic_automata
from constructions.automata.strategies import probabilities as probabilities
from constructions.automata.strategies import tree_automata as tree_automata
from constructions.automata.strategies import trees as trees
from constructions.automata.strategies import weights as weights
from constructions.automata.strategies import words as words
