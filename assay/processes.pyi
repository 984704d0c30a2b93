from constructions.automata.processes import even_process as even_process
from constructions.automata.processes import generalised as generalised
from constructions.automata.processes import golden_mean as golden_mean
from constructions.automata.processes import is_process as is_process
from constructions.automata.processes import mess3 as mess3
from constructions.automata.processes import ngram as ngram
from constructions.automata.processes import rrxor as rrxor
