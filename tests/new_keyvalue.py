"""Negative state encoding: a key-value mechanism in a module of its own, as somebody new would write it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldpnb import chance
from ldpnb.checks import check_epsilon
from ldpnb.keyvalue.population import discretise
from ldpnb.keyvalue.states import SampledKey


@dataclass(frozen=True, kw_only=True)
class NegativeStates(SampledKey):
    """Name one of the three states of a public key; one's own comes e^ε times less often than any other."""

    epsilon: float
    label = "negative states"
    limits = {"epsilon": check_epsilon}
    tried = [{"d": 2, "epsilon": 1.0}, {"d": 3, "epsilon": 0.3}, {"d": 1, "epsilon": 4.0}]

    @cached_property
    def own(self):
        return chance.round_up(1 / (1 + 2 * chance.odds(self.epsilon)))

    @property
    def answer(self):
        p = chance.exact(self.own)
        return p, (1 - p) / 2, (1 - p) / 2

    @property
    def realised_epsilon(self):
        p, q, _ = self.answer
        return chance.log(q / p)

    def _respond(self, held, values, rng):
        states = 1 + held * discretise(values, rng, used=held)
        step = chance.uniform(2, states.shape, rng) + 1
        return np.where(chance.bernoulli(self.own, states.shape, rng), states, (states + step) % 3)
