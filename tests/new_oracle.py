"""Negative randomised response: an oracle in a module of its own, as somebody new would write it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldpnb import chance
from ldpnb.oracles import ItemOracle


@dataclass(frozen=True, kw_only=True)
class Negative(ItemOracle):
    """Name an item; one's own comes e^ε times less often than any other."""

    label = "negative"

    @cached_property
    def support(self):
        p = chance.exact(chance.round_up(1 / (1 + (self.k - 1) * chance.odds(self.epsilon))))
        return p, (1 - p) / (self.k - 1)

    @property
    def realised_epsilon(self):
        p, q = self.support
        return chance.log(q / p)

    @property
    def layout(self):
        return {"": (np.int64, self.k)}

    def _perturb(self, values, rng):
        other = chance.uniform(self.k - 1, values.shape, rng)
        own = chance.bernoulli(chance.inexact(self.support[0]), values.shape, rng)
        return np.where(own, values, other + (other >= values))

    def _count(self, reports):
        return np.bincount(reports, minlength=self.k)

    def linear_variance(self, weights):
        w, (p, q) = np.asarray(weights, float), self.support
        mean = float(q) * w.sum(-1, keepdims=True) + float(p - q) * w
        second = float(q) * (w**2).sum(-1, keepdims=True) + float(p - q) * w**2
        return (second - mean**2) / float(p - q) ** 2
