from verify.facts.registry import fact as fact
from verify.judge.outcome import Outcome as Outcome
from verify.recheck.declarations import confirms as confirms
from verify.recheck.errors import Recomputed as Recomputed
from verify.recheck.errors import Refused as Refused
