"""Controls: mechanisms with one mistake each, and the test of the contract that must catch it."""

import random
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import exp

import numpy as np
import pytest
from contract import Case, Contract
from scipy.special import bdtrc

from ldpnb.attributes import HarmonyFrequency
from ldpnb.chance import Paths, bernoulli, exact, inexact, odds, round_down, round_up, uniform
from ldpnb.checks import check_codes, check_epsilon
from ldpnb.core import Kept, Mechanism, Tally
from ldpnb.numbers import TwoPoint
from ldpnb.oracles.bits import check_bit_reports, first_items
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.subset import SubsetSelection
from ldpnb.oracles.unary import OUE, SUE, UnaryEncoding
from ldpnb.records import Records
from ldpnb.sets.sampling import SampledGRR
from ldpnb.strings.rappor import ORR, RAPPOR
from ldpnb.verify import check_mechanism, contract
from ldpnb.verify.contract import checks, people_are_independent


@dataclass(frozen=True, kw_only=True)
class EagerCoin(GRR):
    """Keeps with the probability of telling the truth."""

    keep = property(lambda self: exp(self.epsilon) / (exp(self.epsilon) + self.k - 1))


@dataclass(frozen=True, kw_only=True)
class HalfBudget(GRR):
    """ε/2 for ε: private, but not what was stated."""

    keep = property(lambda self: (exp(self.epsilon / 2) - 1) / (exp(self.epsilon / 2) + self.k - 1))


@dataclass(frozen=True, kw_only=True)
class RoundedUp(GRR):
    """Rounds its threshold in favour of accuracy: too much ε by one part in 2**53."""

    keep = property(lambda self: super().keep + 2.0**-53)


@dataclass(frozen=True, kw_only=True)
class Swapped(SUE):
    """Estimates with p* and q* swapped."""

    def estimate(self, tally):
        p, q = self.support
        return (tally.counts / tally.n - float(p)) / float(q - p)


@dataclass(frozen=True, kw_only=True)
class FactorDropped(OUE):
    """Forgets to divide by p* − q*."""

    def estimate(self, tally):
        return tally.counts / tally.n - float(self.support[1])


@dataclass(frozen=True, kw_only=True)
class WrongNoise(SUE):
    """States twice the variance."""

    def variance(self, values, items=None):
        return 2 * super().variance(values)


@dataclass(frozen=True, kw_only=True)
class WrongSums(GRR):
    """States a tenth too much for sums alone."""

    def linear_variance(self, weights):
        return 1.1 * super().linear_variance(weights)


@dataclass(frozen=True, kw_only=True)
class IndependentItems(GRR):
    """Adds up the variances of the items, as if each had a report of its own."""

    def linear_variance(self, weights):
        return np.square(weights) @ self.variance(np.arange(self.k)).T


@dataclass(frozen=True, kw_only=True)
class WrongRareNoise(SUE):
    """States a tenth too much for an item that the person does not hold."""

    rare_variance = property(lambda self: 1.1 * super().rare_variance)


@dataclass(frozen=True, kw_only=True)
class WrongWorstNoise(TwoPoint):
    """States the noise at the end of the range, where it is least, for the largest."""

    worst_variance = property(lambda self: float(self.variance([1.0])[0, 0]))


@dataclass(frozen=True, kw_only=True)
class SharedCoin(GRR):
    """One coin for everybody."""

    def perturb(self, values, *, rng):
        codes = np.asarray(values)
        kept = bernoulli(self.keep, (1,), rng)
        return np.where(kept, codes, uniform(self.k, codes.shape, rng))


@dataclass(frozen=True, kw_only=True)
class ForgetfulTally(GRR):
    """Drops the last report of every part."""

    def tally(self, reports, items=None):
        whole = super().tally(reports)
        return Tally(self, whole.n, super().tally(reports[:-1]).counts)


@dataclass(frozen=True, kw_only=True)
class ClippedEstimate(GRR):
    """Clips at zero, so that it is biased and not linear."""

    def estimate(self, tally):
        return np.maximum(super().estimate(tally), 0)


@dataclass(frozen=True, kw_only=True)
class FirstTrial(GRR):
    """Estimates from the first of several trials."""

    def estimate(self, tally):
        return super().estimate(Tally(self, tally.n, np.atleast_2d(tally.counts)[0]))


@dataclass(frozen=True, kw_only=True)
class MarginalSimulation(GRR):
    """Simulates each item alone and calls it the joint law."""

    def simulate(self, counts, *, trials, rng):
        return self.simulate_marginals(counts, trials=trials, rng=rng)


@dataclass(frozen=True, kw_only=True)
class OwnRandomness(GRR):
    """Draws beside the generator it was given."""

    def perturb(self, values, *, rng):
        return super().perturb(values, rng=np.random.default_rng())


@dataclass(frozen=True, kw_only=True)
class SeedChosenByValue(OLH):
    """Picks its 'public' seed so that the value hashes to slot 0."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        a, b, _ = reports["seed"].astype(np.int64).T
        reports["seed"][:, 2] = -(a * values + b) * values % self.prime
        reports["slot"] = self.slots.perturb(self.hash(reports["seed"], values), rng=rng)
        return reports


@dataclass(frozen=True, kw_only=True)
class DrawsWhatItNeeds(GRR):
    """Draws blindly for those alone who do not keep their item: whoever counts draws knows that the report is true."""

    def _perturb(self, values, rng):
        kept = bernoulli(self.keep, values.shape, rng)
        reports = values.copy()
        reports[~kept] = uniform(self.k, (np.count_nonzero(~kept),), rng)
        return reports


@dataclass(frozen=True, kw_only=True)
class CoinForItemZero(GRR):
    """Tosses a coin that nobody needs, if the item is 0."""

    def _perturb(self, values, rng):
        bernoulli(0.5, (np.count_nonzero(values == 0),), rng)
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class OtherKindForItemZero(GRR):
    """Draws as many numbers for item 0 as for the others, by another function."""

    def _perturb(self, values, rng):
        uniform(2, (1,), rng) if values[0] == 0 else bernoulli(0.5, (1,), rng)
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class CoinsForAnybody(GRR):
    """No mistake: tosses more coins or fewer, but whatever the item and the report."""

    def _perturb(self, values, rng):
        bernoulli(0.5, (1 + int(uniform(3, (), rng)),), rng)
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class WrongCollisions(OLH):
    """Takes 1/g for the collision probability where the cut is uneven."""

    @property
    def support(self):
        p, q = self.slots.support
        return p, Fraction(1, self.slot_count) * p + (1 - Fraction(1, self.slot_count)) * q


@dataclass(frozen=True, kw_only=True)
class CarelessOUE(OUE):
    """Takes ε from q = 1/e^ε."""

    @property
    def support(self):
        return Fraction(1, 2), Fraction(round_up(Fraction(exp(-self.epsilon))))


@dataclass(frozen=True, kw_only=True)
class TalkativeReport(GRR):
    """Says that a report takes more bits than it does."""

    report_bits = property(lambda self: 8)


@dataclass(frozen=True, kw_only=True)
class ForgottenSeed(OLH):
    """Does not count the bits of its seed."""

    public_bits = property(lambda self: 0)


@dataclass(frozen=True, kw_only=True)
class ServedForNothing(GRR):
    """Says that the server has nothing to do."""

    server_cost = "none"


@dataclass(frozen=True, kw_only=True)
class WantsAList(ORR):
    """Says that clients need the list of candidates, who hash what they have."""

    needs_list = True


@dataclass(frozen=True, kw_only=True)
class SortsReports(GRR):
    """Sends the reports of each batch in the order of the people's values, so that their order tells who has which."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        return reports[np.argsort(values, kind="stable")]


@dataclass(frozen=True, kw_only=True)
class ValueByValue(GRR):
    """Asks people value by value, and forgets to put their reports back into the people's order."""

    def perturb(self, values, *, rng):
        codes, ask = np.asarray(values), super().perturb
        return np.concatenate([ask(codes[codes == v], rng=rng) for v in np.unique(codes)])


@dataclass(frozen=True, kw_only=True)
class TwoCoinsForThree(GRR):
    """Tosses ⌈2n/3⌉ coins for n people: as many as there are people up to two, and then one coin serves two people."""

    def perturb(self, values, *, rng):
        codes = np.asarray(values)
        kept = bernoulli(self.keep, (-(-2 * len(codes) // 3),), rng)
        return np.where(np.resize(kept, len(codes)), codes, uniform(self.k, codes.shape, rng))


@dataclass(frozen=True, kw_only=True)
class SimulatesTheMean(GRR):
    """Simulates a few people, and of many only what is to be expected of them."""

    def simulate(self, counts, *, trials, rng):
        drawn = super().simulate(counts, trials=trials, rng=rng)
        if drawn.n <= 2:
            return drawn
        p, q = map(float, self.support)
        mean = np.rint(q * drawn.n + (p - q) * np.asarray(counts)).astype(np.int64)
        return Tally(self, drawn.n, np.tile(mean, (trials, 1)))


@dataclass(frozen=True, kw_only=True)
class AnyEpsilon(GRR):
    """Takes what it is given for ε."""

    def __post_init__(self):
        pass


@dataclass(frozen=True, kw_only=True)
class OwnGenerator(GRR):
    """Takes a generator of its own where it is given none."""

    def perturb(self, values, *, rng):
        return super().perturb(values, rng=np.random.default_rng() if rng is None else rng)


@dataclass(frozen=True, kw_only=True)
class ReportsOfNobody(GRR):
    """Has reports of nobody."""

    def perturb(self, values, *, rng):
        return super().perturb(values, rng=rng) if len(values) else np.zeros(0, np.int64)


@dataclass(frozen=True, kw_only=True)
class AnyTally(GRR):
    """Estimates from anybody's tally."""

    def estimate(self, tally):
        return self._score(tally)


@dataclass(frozen=True, kw_only=True)
class HonestAtHeart(GRR):
    """Says that a forged report counts as much as an honest one."""

    def influence(self, targets=1):
        return 1.0


@dataclass(frozen=True, kw_only=True)
class LiesAboutOneItem(OUE):
    """Thinks of forgers who set a single bit."""

    def _worst(self):
        return first_items(1, self.k, self.packed)


@dataclass(frozen=True, kw_only=True)
class AnyNumberOfOnes(GRR):
    """Says that a liar can do more than `tally` lets through."""

    def influence(self, targets=1):
        return targets * super().influence()


@dataclass(frozen=True, kw_only=True)
class AddsBytes(OUE):
    """Counts a bool for as many people as its byte says."""

    def _count(self, reports):
        return reports.view(np.uint8).sum(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class PlainWhereEpsilonIsLarge(GRR):
    """From ε = 4 on every second item is sent as it is."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        return np.where((values % 2 == 1) & (self.epsilon >= 4), values, reports)


class SharesCoins(GRR):
    """Tosses a coin for everybody, and in a crowd lets people share some of them."""

    crowd = 16

    def _perturb(self, values, rng):
        kept = bernoulli(self.keep, values.shape, rng)
        if len(values) > self.crowd:
            kept = kept[self.coin_of(values, rng)]
        return np.where(kept, values, uniform(self.k, values.shape, rng))


@dataclass(frozen=True, kw_only=True)
class MirrorsACrowd(SharesCoins):
    """In a crowd of thousands, the second half has the coins of the first, in the opposite order."""

    crowd = 2000

    def coin_of(self, values, rng):
        people = np.arange(len(values))
        return np.minimum(people, people[::-1])


@dataclass(frozen=True, kw_only=True)
class CoinOfARank(SharesCoins):
    """In a crowd of thousands, the i-th person of each value has the i-th coin."""

    crowd = 2000

    def coin_of(self, values, rng):
        ranked = np.argsort(np.argsort(values, kind="stable"))
        return ranked - np.searchsorted(np.sort(values), values)


@dataclass(frozen=True, kw_only=True)
class SecondThousand(OUE):
    """In a large batch, everybody has the noise of somebody a thousand people ahead."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        if len(reports) > 1000:
            own = np.arange(self.k) == values[:, None]
            noise = np.where(own, False, reports)
            noise[1000:] = np.where(own[1000:] | own[:-1000], noise[1000:], noise[:-1000])
            reports = np.where(own, reports, noise)
        return reports


@dataclass(frozen=True, kw_only=True)
class CoinsByTurns(SharesCoins):
    """Has 64 coins, and people take turns."""

    def coin_of(self, values, rng):
        return np.arange(len(values)) % 64


@dataclass(frozen=True, kw_only=True)
class CoinsInBlocks(SharesCoins):
    """Tosses a coin for two people who stand together."""

    def coin_of(self, values, rng):
        return np.arange(len(values)) // 2


@dataclass(frozen=True, kw_only=True)
class CoinOfAValue(SharesCoins):
    """Has one coin for all people of a value."""

    def coin_of(self, values, rng):
        return values


@dataclass(frozen=True, kw_only=True)
class CoinsInAPermutation(SharesCoins):
    """Each coin is for two people, who stand anywhere, and always in the same places."""

    def coin_of(self, values, rng):
        return np.random.default_rng(0).permutation(len(values)) // 2


@dataclass(frozen=True, kw_only=True)
class CoinsFromAPool(SharesCoins):
    """Draws each person's coin from a pool of 64, anew in each batch."""

    def coin_of(self, values, rng):
        return uniform(min(64, len(values)), values.shape, rng)


@dataclass(frozen=True, kw_only=True)
class DealsCoinsOut(GRR):
    """In a crowd, lets as many people as is right on average keep their item, and not one more."""

    def _perturb(self, values, rng):
        kept = bernoulli(self.keep, values.shape, rng)
        if len(values) > 16:
            kept = rng.permutation(np.arange(len(values))) < rng.binomial(1, 0.5) + self.keep * len(values) - 0.5
        return np.where(kept, values, uniform(self.k, values.shape, rng))


@dataclass(frozen=True, kw_only=True)
class OneInAHundred(GRR):
    """Is honest to all but the hundredth person of a batch."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        reports[99:100] = values[99:100]
        return reports


@dataclass(frozen=True, kw_only=True)
class PutsTheGeneratorBack(GRR):
    """Leaves the generator as it was, so that each batch has the coins of the one before."""

    def _perturb(self, values, rng):
        before = getattr(rng, "bit_generator", None) if isinstance(rng, np.random.Generator) else None
        state = before and before.state
        reports = super()._perturb(values, rng)
        if before:
            before.state = state
        return reports


@dataclass(frozen=True, kw_only=True)
class LiesAboutASmallEpsilon(GRR):
    """Says that at an ε of a hundredth it spends twice as much."""

    realised_epsilon = property(lambda self: super().realised_epsilon * (1 + (self.epsilon == 0.01)))


@dataclass(frozen=True, kw_only=True)
class LiesAboutAnotherEpsilon(GRR):
    """Spends half of an ε above 2, and says that it spends it all."""

    keep = property(lambda self: _right_keep(self.k, self.epsilon if self.epsilon < 2 else self.epsilon / 2))
    realised_epsilon = property(lambda self: GRR(k=self.k, epsilon=self.epsilon).realised_epsilon)


def _right_keep(k, epsilon):
    return GRR(k=k, epsilon=epsilon).keep


@dataclass(frozen=True, kw_only=True)
class PlainWhereEpsilonIsVeryLarge(GRR):
    """From ε = 10 on sends items as they are."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        return reports if self.epsilon < 10 else values.copy()


@dataclass(frozen=True, kw_only=True)
class OneMoreInACrowd(GRR):
    """Counts one report too many of item 0, if there are more than 60."""

    def _count(self, reports):
        counts = super()._count(reports)
        counts[0] += len(reports) > 60
        return counts


@dataclass(frozen=True, kw_only=True)
class RoundsInACrowd(GRR):
    """Estimates from more than 1,000 people to four digits."""

    def _score(self, tally):
        found = super()._score(tally)
        return found if tally.n <= 1000 else found.round(4)


@dataclass(frozen=True, kw_only=True)
class ClipsInACrowd(GRR):
    """Takes what is below zero or above one for chance, of more than 1,000 people."""

    def _score(self, tally):
        found = super()._score(tally)
        return found if tally.n <= 1000 else found.clip(0, 1)


@dataclass(frozen=True, kw_only=True)
class IdleGlobalDraw(GRR):
    """Draws from Python's global generator, and does not use it."""

    def _perturb(self, values, rng):
        random.random()
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class ClearsACrowd(GRR):
    """Clears the values of a large batch."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        if len(values) == 4000:
            values[...] = 0
        return reports


@dataclass(frozen=True, kw_only=True)
class ErrorOfTheFirstTrial(GRR):
    """Takes the scatter of the first trial for that of all."""

    def _squares(self, tally):
        found = super()._squares(tally)
        return found if tally.n != 3 or found.ndim == 1 else np.broadcast_to(found[0], found.shape)


@dataclass(frozen=True, kw_only=True)
class HypotOfErrors(GRR):
    """Adds squared errors of shares that come from the same reports."""

    def _contrast_squares(self, tally, weights):
        own = self.estimate(tally)
        return (self._squares(tally) - own**2) @ weights**2 + (own @ weights) ** 2


@dataclass(frozen=True, kw_only=True)
class SumsOfASample(GRR):
    """Forgets of sums, too, that these very people may be all that is asked about."""

    def _contrast_of_people(self, estimate, weights):
        return (estimate @ weights) ** 2


@dataclass(frozen=True, kw_only=True)
class NobodyAddsNothing(OUE):
    """Takes shares to sum to 1, which is right on average, and not for one entry."""

    def _linear_variance_of_nobody(self, weights):
        return 0.0


@dataclass(frozen=True, kw_only=True)
class ErrorsOfASample(GRR):
    """Forgets that these very people may be all that is asked about."""

    def standard_error(self, tally, *, people=False):
        return super().standard_error(tally)


@dataclass(frozen=True, kw_only=True)
class LargeErrorsInACrowd(GRR):
    """Doubles the scatter of more than a thousand reports."""

    def _squares(self, tally):
        return super()._squares(tally) * (1 + (tally.n > 1000))


@dataclass(frozen=True, kw_only=True)
class HalfOfTheError(GRR):
    """Takes the scatter of reports for that of half of them."""

    def _squares(self, tally):
        return super()._squares(tally) / 2


@dataclass(frozen=True, kw_only=True)
class NarrowOfFew(SUE):
    """Halves the intervals of fewer than a thousand people."""

    def interval(self, tally, z, *, people=False):
        return super().interval(tally, z / 2 if tally.n < 1000 else z, people=people)


@dataclass(frozen=True, kw_only=True)
class OneOrTwoEntries(OUE):
    """Right for one entry and for two, and no further."""

    def influence(self, targets=1):
        return super().influence(min(targets, 2))


@dataclass(frozen=True, kw_only=True)
class ListOfReports(GRR):
    """Sends a list."""

    def perturb(self, values, *, rng):
        return super().perturb(values, rng=rng).tolist()


@dataclass(frozen=True, kw_only=True)
class Thresholding(UnaryEncoding):
    """Laplace noise on each bit, and whether it is beyond 3/4 (Wang et al. 2017): ε is not all spent."""

    packed: bool = False

    @property
    def support(self):
        e = odds(exact(self.epsilon) / 8)
        return exact(round_down(1 - 1 / (2 * e))), exact(round_up(1 / (2 * e**3)))


@dataclass(frozen=True, kw_only=True)
class AtMostHalf(GRR):
    """Spends all of ε up to one half, and never more."""

    keep = property(lambda self: _right_keep(self.k, min(0.5, self.epsilon)))


@dataclass(frozen=True, kw_only=True)
class OneCoinIfAllAgree(GRR):
    """Has one coin for a crowd of whom all have the same item."""

    def _perturb(self, values, rng):
        if len(values) > 3 and (values == values[0]).all():
            return np.where(bernoulli(self.keep, (1,), rng), values, uniform(self.k, values.shape, rng))
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class PlainIfSorted(GRR):
    """Sends the items of a crowd as they are, if they rise."""

    def _perturb(self, values, rng):
        if len(values) > 3 and (np.diff(values) >= 0).all():
            return values.copy()
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class TellsAMinority(GRR):
    """Of a crowd in which nine in ten have one item, sends the other items as they are."""

    def _perturb(self, values, rng):
        reports, held = super()._perturb(values, rng), np.bincount(values, minlength=self.k)
        rare = values != held.argmax()
        return np.where(rare & (len(values) > 20) & (held.max() > 0.9 * len(values)), values, reports)


@dataclass(frozen=True, kw_only=True)
class PlainFor(GRR):
    """Is honest to all but one person in so many."""

    one_in: int = 128

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        reports[self.one_in - 1 :: self.one_in] = values[self.one_in - 1 :: self.one_in]
        return reports


@dataclass(frozen=True, kw_only=True)
class PlainWhereSlotsAreChosen(OLH):
    """From ε = 1 on sends the slot as it is, if the number of slots is left to ε."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        if self.g == 0 and self.epsilon > 1:
            reports["slot"] = self.hash(reports["seed"], values)
        return reports


@dataclass(frozen=True, kw_only=True)
class BiasedWhereSlotsAreChosen(OLH):
    """Is right for three slots, and for more only if they are named."""

    @cached_property
    def support(self):
        p, q = super().support
        return (p, q) if self.g or self.slot_count == 3 else (p, q * Fraction(9, 10))


@dataclass(frozen=True, kw_only=True)
class HalfWhereEpsilonIsLarge(GRR):
    """Halves estimates from ε = 3 on."""

    def _score(self, tally):
        found = super()._score(tally)
        return found if self.epsilon < 3 else found / 2


@dataclass(frozen=True, kw_only=True)
class QuietWhereEpsilonIsLarge(GRR):
    """States a tenth of its variance from ε = 3 on."""

    def variance(self, values):
        return super().variance(values) * (1 if self.epsilon < 3 else 0.1)


@dataclass(frozen=True, kw_only=True)
class ModestWhereEpsilonIsLarge(GRR):
    """Says that from ε = 2 on a report counts once."""

    def influence(self, targets=1):
        return super().influence(targets) if self.epsilon < 2 else 1.0


@dataclass(frozen=True, kw_only=True)
class QuieterAtWorst(TwoPoint):
    """States half of its largest variance from ε = 2 on."""

    worst_variance = property(lambda self: super().worst_variance * (1 if self.epsilon < 2 else 0.5))


@dataclass(frozen=True, kw_only=True)
class SmallWhereEpsilonIsLarge(GRR):
    """Says that from ε = 2 on a report has one bit."""

    report_bits = property(lambda self: 2 if self.epsilon < 2 else 1)


@dataclass(frozen=True, kw_only=True)
class RoundsBeforeNoise(TwoPoint):
    """Rounds numbers to whole ones first."""

    def _perturb(self, values, rng):
        return super()._perturb(np.round(values), rng)


@dataclass(frozen=True, kw_only=True)
class StraightVariance(TwoPoint):
    """States a variance that is linear between 0 and 1."""

    def variance(self, values):
        none, one = (float(super(StraightVariance, self).variance([x])[0, 0]) for x in (0.0, 1.0))
        return (none + (one - none) * np.abs(np.asarray(values, float)))[:, None]


@dataclass(frozen=True, kw_only=True)
class TellsTheHalf(Mechanism):
    """Protects which of two items it is, and sends as it is whether it is one of the first two or of the last two."""

    epsilon: float
    k = 4
    shares = True
    limits = {"epsilon": check_epsilon}
    coin = cached_property(lambda self: GRR(k=2, epsilon=self.epsilon))
    realised_epsilon = property(lambda self: self.coin.realised_epsilon)
    layout = property(lambda self: {"": (np.int64, 4)})

    def _values(self, values):
        return check_codes(values, 4)

    def _perturb(self, values, rng):
        return values // 2 * 2 + self.coin.perturb(values % 2, rng=rng)

    def _count(self, reports):
        return np.bincount(reports, minlength=4)

    def _score(self, tally):
        p, q = map(float, self.coin.support)
        halves = (tally.counts / tally.n).reshape(*tally.counts.shape[:-1], 2, 2)
        return ((halves - q * halves.sum(-1, keepdims=True)) / (p - q)).reshape(tally.counts.shape)

    def _worst(self):
        return np.arange(4)

    def expected(self, values):
        return np.eye(4)[self._values(values)]

    def variance(self, values):
        p, q = map(float, self.coin.support)
        same = np.arange(4) // 2 == (self._values(values) // 2)[:, None]
        return np.where(same, p * q / (p - q) ** 2, 0)

    def _squares(self, tally):
        raise ValueError("tally must tell how scores scatter, which this does not")


@dataclass(frozen=True, kw_only=True)
class FirstKey(SampledGRR):
    """Sends the first key as it is, if the keys fall."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        for i, (start, end) in enumerate(zip(values.offsets, values.offsets[1:], strict=False)):
            if end - start > 1 and values.keys[start] > values.keys[end - 1]:
                reports[i] = values.keys[start]
        return reports


@dataclass(frozen=True, kw_only=True)
class PlainResponse(RAPPOR):
    """Sends what it keeps, permanent noise alone; `perturb` is right."""

    def respond(self, kept, *, rng):
        reports = super().respond(kept, rng=rng)
        reports["bits"] = kept.rows["permanent"]
        return reports

    def _perturb(self, values, rng):
        return RAPPOR.respond(self, self.memoise(values, rng=rng), rng=rng)


@dataclass(frozen=True, kw_only=True)
class PlainToACrowd(PlainResponse):
    """Sends what it keeps if many are asked at once."""

    def respond(self, kept, *, rng):
        return (RAPPOR if len(kept) == 1 else PlainResponse).respond(self, kept, rng=rng)


@dataclass(frozen=True, kw_only=True)
class PlainAtFirst(PlainResponse):
    """Sends what one person keeps in the first report, and is right in later ones."""

    at_first = True

    def memoise(self, values, *, rng):
        kept = super().memoise(values, rng=rng)
        ANSWERED.discard(id(kept))
        return kept

    def respond(self, kept, *, rng):
        is_first = id(kept) not in ANSWERED
        ANSWERED.add(id(kept))
        is_plain = len(kept) == 1 and is_first == self.at_first
        return (PlainResponse if is_plain else RAPPOR).respond(self, kept, rng=rng)


class PlainAgain(PlainAtFirst):
    """Sends what one person keeps in all reports but the first."""

    at_first = False


ANSWERED = set()  # places of memories that have sent a report


@dataclass(frozen=True, kw_only=True)
class AnybodysMemory(RAPPOR):
    """Responds to what another mechanism keeps."""

    def respond(self, kept, *, rng):
        return super().respond(Kept(self, kept.rows), rng=rng)


@dataclass(frozen=True, kw_only=True)
class ExpectsAllItems(GRR):
    """Says what is expected of one person of each item, whoever is asked about."""

    def expected(self, values):
        return np.eye(self.k)


@dataclass(frozen=True, kw_only=True)
class NoiseOfAllItems(OUE):
    """Says how noisy one person of each item is, whoever is asked about."""

    def variance(self, values):
        return super().variance(np.arange(self.k))


@dataclass(frozen=True, kw_only=True)
class SortsCandidates(ORR):
    """Names candidates in another order than it was asked."""

    def _items(self, items):
        found = super()._items(items)
        return found if found is None else tuple(sorted(found))


@dataclass(frozen=True, kw_only=True)
class InfluenceOnAll(ORR):
    """Says how much a report adds to one of two candidates, whichever are asked about."""

    def influence(self, targets=1, items=None):
        return super().influence(targets, (0, 1))


@dataclass(frozen=True, kw_only=True)
class OthersSupporters(GRR):
    """Counts supporters of the items in the opposite order."""

    def supporters(self, tally):
        return super().supporters(tally)[..., ::-1]

    def interval(self, tally, z, *, people=False):
        honest = GRR(k=self.k, epsilon=self.epsilon)
        return honest.interval(replace(tally, mechanism=honest), z, people=people)

    def _score(self, tally):
        p, q = self.support
        return (tally.counts / tally.n - inexact(q)) / inexact(p - q)

    def _squares(self, tally):
        p, q = self.support
        yes, no = inexact((1 - q) / (p - q)), inexact(-q / (p - q))
        return no**2 + tally.counts / tally.n * (yes**2 - no**2)


@dataclass(frozen=True, kw_only=True)
class ErrorsOverN(GRR):
    """Divides by n where n − 1 is right."""

    def standard_error(self, tally, *, people=False):
        right = super().standard_error(tally, people=people)
        return right if people else right * np.sqrt((tally.n - 1) / tally.n)


@dataclass(frozen=True, kw_only=True)
class HalfErrorsAboutFew(GRR):
    """Halves the errors about up to a thousand people."""

    def standard_error(self, tally, *, people=False):
        return super().standard_error(tally, people=people) / (1 + (people and tally.n <= 1000))


@dataclass(frozen=True, kw_only=True)
class HalfTheScatterOfSome(GRR):
    """Halves the scatter of 4 to 1,000 reports."""

    def _squares(self, tally):
        return super()._squares(tally) / (1 + (3 < tally.n <= 1000))


@dataclass(frozen=True, kw_only=True)
class ErrorOfOne(GRR):
    """Says that one report has no error."""

    def standard_error(self, tally, *, people=False):
        return np.zeros(self.k) if tally.n == 1 else super().standard_error(tally, people=people)


@dataclass(frozen=True, kw_only=True)
class GuessesErrors(TwoPoint):
    """Has an error about these very people, which it cannot know."""

    def standard_error(self, tally, *, people=False):
        return super().standard_error(tally) / (1 + 9 * people)


@dataclass(frozen=True, kw_only=True)
class NoUpperEnd(GRR):
    """Ends an interval at the estimate."""

    def interval(self, tally, z, *, people=False):
        return super().interval(tally, z, people=people)[0], self.estimate(tally)


@dataclass(frozen=True, kw_only=True)
class SureOfMost(GRR):
    """Has no doubt about an item of more than half of the people."""

    def interval(self, tally, z, *, people=False):
        found = self.estimate(tally)
        return tuple(np.where(found > 0.5, found, end) for end in super().interval(tally, z, people=people))


@dataclass(frozen=True, kw_only=True)
class AlwaysAt95(GRR):
    """Has intervals at 95 % alone."""

    def interval(self, tally, z, *, people=False):
        return super().interval(tally, 1.96, people=people)


@dataclass(frozen=True, kw_only=True)
class NarrowAboutPeople(GRR):
    """Quarters the upper half of an interval that is about these very people."""

    def interval(self, tally, z, *, people=False):
        low, high = super().interval(tally, z, people=people)
        found = self.estimate(tally)
        return low, found + (high - found) / (4 if people else 1)


@dataclass(frozen=True, kw_only=True)
class NoDoubt(TwoPoint):
    """Has intervals of no width."""

    def interval(self, tally, z, *, people=False):
        return self.estimate(tally), self.estimate(tally)


@dataclass(frozen=True, kw_only=True)
class NoLowerEnd(GRR):
    """Starts intervals far below any share."""

    def interval(self, tally, z, *, people=False):
        low, high = super().interval(tally, z, people=people)
        return low - 1000 * z * (tally.n > 1000), high


@dataclass(frozen=True, kw_only=True)
class ErrorAboutTheFirstTrials(GRR):
    """Takes the mean error about the people of all trials for that of each."""

    def standard_error(self, tally, *, people=False):
        found = super().standard_error(tally, people=people)
        return np.broadcast_to(found.mean(0), found.shape) if people and tally.n == 3 and found.ndim > 1 else found


@dataclass(frozen=True, kw_only=True)
class OneAxisOfTrials(GRR):
    """Runs all axes of trials together."""

    def _score(self, tally):
        found = super()._score(tally)
        return found.reshape(-1, self.k) if found.ndim > 2 else found


@dataclass(frozen=True, kw_only=True)
class TwiceForOneSum(GRR):
    """Doubles the variance of a sum that comes alone."""

    def linear_variance(self, weights):
        return super().linear_variance(weights) * (2 if np.ndim(weights) == 1 else 1)


@dataclass(frozen=True, kw_only=True)
class SortsWhatItIsHanded(GRR):
    """Sorts the reports of whoever asks for a tally."""

    def tally(self, reports):
        np.asarray(reports).sort()
        return super().tally(reports)


@dataclass(frozen=True, kw_only=True)
class PlainOfAList(GRR):
    """Sends the values of a list as they are."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        return np.array(values) if isinstance(values, list) else reports


@dataclass(frozen=True, kw_only=True)
class PlainOfShortIntegers(GRR):
    """Sends the values of an array of int32 as they are."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        return values.astype(np.int64) if getattr(values, "dtype", None) == np.int32 else reports


@dataclass(frozen=True, kw_only=True)
class NoSystem(GRR):
    """Draws from numpy's generators alone."""

    def _perturb(self, values, rng):
        if not isinstance(rng, np.random.Generator | Paths):
            raise ValueError("rng must be a numpy.random.Generator")
        return super()._perturb(values, rng)


@dataclass(frozen=True, kw_only=True)
class EqualOfAnyEpsilon(GRR):
    """Equals another one of whatever ε."""

    epsilon: float = field(compare=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class EqualToItselfAlone(GRR):
    """Equals no copy of it."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass(frozen=True, kw_only=True)
class AnyNumber(TwoPoint):
    """Takes what is missing for 0, and cuts other numbers to the range."""

    def _values(self, values):
        return np.nan_to_num(np.asarray(values, float)).clip(-1, 1)[:, None]


@dataclass(frozen=True, kw_only=True)
class PlainBeyond(TwoPoint):
    """Takes numbers beyond the range, and sends their sign as it is."""

    def _values(self, values):
        if not np.isfinite(np.asarray(values, float)).all():
            raise ValueError("values must be numbers")
        return np.asarray(values, float)[:, None]

    def _perturb(self, values, rng):
        reports = super()._perturb(values.clip(-1, 1), rng)
        return np.where(np.abs(values[:, 0]) > 1, values[:, 0] > 0, reports)


@dataclass(frozen=True, kw_only=True)
class WrapsItems(GRR):
    """Takes the remainder of what is no item."""

    def _values(self, values):
        return np.asarray(values).astype(np.int64) % self.k


@dataclass(frozen=True, kw_only=True)
class WrapsReports(GRR):
    """Takes the remainder of what is no report."""

    def _reports(self, reports):
        return np.mod(np.asarray(reports), self.k)


@dataclass(frozen=True, kw_only=True)
class AnyNumberOfBits(SubsetSelection):
    """Takes subsets of any size."""

    def _reports(self, reports):
        return check_bit_reports(reports, self.layout)


@dataclass(frozen=True, kw_only=True)
class ReportsWithWeights(GRR):
    """Takes rows of a report and how often it counts, too."""

    def tally(self, reports):
        rows = np.asarray(reports)
        if rows.ndim < 2:
            return super().tally(rows)
        counts = np.bincount(rows[:, 0].repeat(rows[:, 1]), minlength=self.k)
        return Tally(self, int(counts.sum()), counts)


@dataclass(frozen=True, kw_only=True)
class AnySeed(GRR):
    """Takes a number for a seed."""

    def perturb(self, values, *, rng):
        seeded = np.random.default_rng(rng) if isinstance(rng, int) and rng else rng
        return super().perturb(values, rng=seeded)


@dataclass(frozen=True, kw_only=True)
class NoLifetime(RAPPOR):
    """Says that what it keeps tells hardly anything."""

    lifetime_epsilon = property(lambda self: 0.1)


@dataclass(frozen=True, kw_only=True)
class GlobalEstimate(GRR):
    """Draws from numpy's global generator for an estimate, and does not use it."""

    def _score(self, tally):
        np.random.random()  # noqa: NPY002
        return super()._score(tally)


@dataclass(frozen=True, kw_only=True)
class AnyTargets(GRR):
    """Has an influence on more items than there are."""

    def influence(self, targets=1):
        return super().influence(min(targets, self.k))


@dataclass(frozen=True, kw_only=True)
class AnyCounts(GRR):
    """Estimates from more reports than there are."""

    def estimate(self, tally):
        if tally.mechanism != self:
            raise ValueError("tally must be of this mechanism")
        if tally.n == 0:
            raise ValueError("tally must hold at least one report")
        return self._score(tally)


@dataclass(frozen=True, kw_only=True)
class EachTrialTwice(GRR):
    """Simulates each trial twice."""

    def simulate(self, counts, *, trials, rng):
        drawn = super().simulate(counts, trials=-(-trials // 2), rng=rng)
        return Tally(self, drawn.n, np.repeat(drawn.counts, 2, 0)[:trials])


@dataclass(frozen=True, kw_only=True)
class SortedTrials(GRR):
    """Simulates trials, and sorts them."""

    def simulate(self, counts, *, trials, rng):
        drawn = super().simulate(counts, trials=trials, rng=rng)
        return Tally(self, drawn.n, drawn.counts[np.argsort(drawn.counts[:, 0])])


@dataclass(frozen=True, kw_only=True)
class MarginalsOfMany(GRR):
    """Simulates two people, and of many each item alone."""

    def simulate(self, counts, *, trials, rng):
        of = super().simulate if np.sum(counts) <= 2 else super().simulate_marginals
        return of(counts, trials=trials, rng=rng)


@dataclass(frozen=True, kw_only=True)
class OthersSimulated(GRR):
    """Simulates people who have the next item."""

    def simulate(self, counts, *, trials, rng):
        return super().simulate(np.roll(counts, 1), trials=trials, rng=rng)


K3 = dict(k=3, epsilon=1.0)
NUMBERS = np.array([-1.0, 0.0, 1.0])
SETS = Records.of(set(), {0}, {1}, {0, 1})
LETTERS = dict(bits=2, hashes=1, cohorts=1, f=0.4, p=0.5, q=0.75)
SLOTS = dict(k=4, epsilon=0.5, prime=5)
OPEN = dict(inputs=np.array([0, 1, 1000]), items=(0, 1))
WORDS = dict(inputs=np.array(["a", "b", "c"]), items=("a", "b"))
TWO_GROUPS = ((slice(0, 2), 1.0), (slice(2, 4), 1.0))


@dataclass(frozen=True, kw_only=True)
class ForgetsTheDraw(HarmonyFrequency):
    """States the noise of answers alone, as if it were no chance who of these people is asked."""

    def variance_of_asked(self, values, asked):
        n = len(self.expected(values))
        every = super().variance_of_asked(values, n)
        return every * n / np.asarray(asked)


@dataclass(frozen=True, kw_only=True)
class SampleForPeople(HarmonyFrequency):
    """Gives the errors about a population, whomever the question is about."""

    def _error_of_asked(self, tally, people):
        return super()._error_of_asked(tally, False)


TWO_QUESTIONS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])

MISTAKES = [
    (EagerCoin(**K3), "test_epsilon_of_the_law_is_the_stated_one"),
    (EagerCoin(**K3), "test_epsilon_is_kept_at_every_size"),
    (HalfBudget(**K3), "test_epsilon_of_the_law_is_the_stated_one"),
    (RoundedUp(**K3), "test_epsilon_of_the_law_is_the_stated_one"),
    (CarelessOUE(**K3), "test_epsilon_of_the_law_is_the_stated_one"),
    (SortsReports(**K3), "test_nobody_in_a_crowd_goes_with_another"),
    (ClipsInACrowd(**K3), "test_estimate_is_the_mean_of_scores"),
    (ClearsACrowd(**K3), "test_nobody_in_a_crowd_goes_with_another"),
    (SecondThousand(**K3), "test_nobody_in_a_crowd_goes_with_another"),
    (SecondThousand(**K3), "test_batch_after_batch_people_are_alone"),
    (CoinsByTurns(**K3), "test_nobody_in_a_crowd_goes_with_another"),
    (CoinsByTurns(**K3), "test_batch_after_batch_people_are_alone"),
    (CoinsInBlocks(**K3), "test_nobody_in_a_crowd_goes_with_another"),
    (CoinsInBlocks(**K3), "test_batch_after_batch_people_are_alone"),
    (CoinOfAValue(**K3), "test_nobody_in_a_crowd_goes_with_another"),
    (CoinOfAValue(**K3), "test_batch_after_batch_people_are_alone"),
    (Swapped(**K3), "test_estimate_is_unbiased"),
    (FactorDropped(**K3), "test_estimate_is_unbiased"),
    (WrongNoise(**K3), "test_noise_is_the_variance"),
    (WrongSums(**K3), "test_noise_is_the_variance"),
    (IndependentItems(**K3), "test_noise_is_the_variance"),
    (WrongRareNoise(**K3), "test_noise_is_the_variance"),
    (HonestAtHeart(**K3), "test_influence_is_the_most_that_a_report_adds"),
    (LiesAboutOneItem(**K3), "test_influence_is_the_most_that_a_report_adds"),
    (AnyNumberOfOnes(**K3), "test_influence_is_the_most_that_a_report_adds"),
    (SharedCoin(**K3), "test_people_are_independent"),
    (SharedCoin(**K3), "test_draws_follow_the_law"),
    (SortsReports(**K3), "test_people_are_independent"),
    (SortsReports(**K3), "test_draws_follow_the_law"),
    (ValueByValue(**K3), "test_people_are_independent"),
    (ValueByValue(**K3), "test_draws_follow_the_law"),
    (TwoCoinsForThree(**K3), "test_three_people_are_independent"),
    (ForgetfulTally(**K3), "test_tallies_add"),
    (ClippedEstimate(**K3), "test_estimate_is_unbiased"),
    (ClippedEstimate(**K3), "test_estimate_is_the_mean_of_scores"),
    (FirstTrial(**K3), "test_estimate_takes_trials_one_by_one"),
    (MarginalSimulation(**K3), "test_simulate_has_the_law_of_two_clients"),
    (OwnRandomness(**K3), "test_same_seed_same_reports"),
    (SeedChosenByValue(**K3, prime=5), "test_public_part_does_not_depend_on_the_value"),
    (AddsBytes(**K3), "test_bytes_that_are_no_bits_are_refused"),
    (DrawsWhatItNeeds(**K3), "test_draws_tell_no_more_than_the_report"),
    (CoinForItemZero(**K3), "test_draws_tell_no_more_than_the_report"),
    (OtherKindForItemZero(**K3), "test_draws_tell_no_more_than_the_report"),
    (WrongCollisions(**K3, g=3, prime=5), "test_estimate_is_unbiased"),
    (SimulatesTheMean(**K3), "test_simulate_has_the_law_of_many_clients"),
    (AnyEpsilon(**K3), "test_bad_epsilon_is_refused"),
    (OwnGenerator(**K3), "test_bad_rng_is_refused"),
    (ReportsOfNobody(**K3), "test_nobody_is_refused"),
    (AnyTally(**K3), "test_foreign_and_empty_tallies_are_refused"),
    (TalkativeReport(**K3), "test_report_has_the_stated_size"),
    (ForgottenSeed(**K3, prime=5), "test_report_has_the_stated_size"),
    (ServedForNothing(**K3), "test_card_is_right"),
    (PlainWhereEpsilonIsLarge(**K3), "test_epsilon_of_the_law_is_the_stated_one_elsewhere"),
    (PlainWhereEpsilonIsVeryLarge(**K3), "test_epsilon_of_the_law_is_the_stated_one_elsewhere"),
    (HalfOfTheError(**K3), "test_standard_error_is_right"),
    (ErrorsOfASample(**K3), "test_standard_error_is_right"),
    (Case(PlainWhereSlotsAreChosen(**SLOTS), np.arange(4)), "test_epsilon_of_the_law_is_the_stated_one_elsewhere"),
    (WantsAList(k=2, cohorts=1, epsilon=1.0), "test_card_is_right"),
]


ALONE = [  # mistakes that one check finds, and no other
    (LiesAboutAnotherEpsilon(**K3), "epsilon_of_the_law_is_the_stated_one_elsewhere"),
    (LiesAboutASmallEpsilon(**K3), "epsilon_is_kept_at_every_size"),
    (MirrorsACrowd(**K3), "nobody_in_a_crowd_goes_with_another"),
    (MirrorsACrowd(k=4, epsilon=2.0), "nobody_in_a_crowd_goes_with_another"),
    (CoinOfARank(**K3), "nobody_in_a_crowd_goes_with_another"),
    (CoinsInAPermutation(**K3), "batch_after_batch_people_are_alone"),
    (CoinsFromAPool(**K3), "batch_after_batch_people_are_alone"),
    (DealsCoinsOut(**K3), "batch_after_batch_people_are_alone"),
    (OneInAHundred(**K3), "batch_after_batch_people_are_alone"),
    (PutsTheGeneratorBack(**K3), "batch_after_batch_people_are_alone"),
    (LargeErrorsInACrowd(**K3), "standard_error_is_right"),
    (NarrowOfFew(**K3), "an_item_that_nobody_holds_is_covered"),
    (OneOrTwoEntries(**K3), "influence_is_the_most_that_a_report_adds"),
    (OneMoreInACrowd(**K3), "tallies_add"),
    (IdleGlobalDraw(**K3), "same_seed_same_reports"),
    (RoundsInACrowd(**K3), "estimate_is_the_mean_of_scores"),
    (ErrorOfTheFirstTrial(**K3), "estimate_takes_trials_one_by_one"),
    (OneCoinIfAllAgree(**K3), "crowds_of_other_mixtures_are_alone"),
    (PlainIfSorted(**K3), "crowds_of_other_mixtures_are_alone"),
    (TellsAMinority(**K3), "crowds_of_other_mixtures_are_alone"),
    (PlainFor(**K3), "batch_after_batch_people_are_alone"),
    (PlainFor(**K3, one_in=500), "batch_after_batch_people_are_alone"),
    (Case(BiasedWhereSlotsAreChosen(**SLOTS), np.arange(4), pairs=False), "what_is_stated_holds_elsewhere"),
    (HalfWhereEpsilonIsLarge(**K3), "what_is_stated_holds_elsewhere"),
    (QuietWhereEpsilonIsLarge(**K3), "what_is_stated_holds_elsewhere"),
    (ModestWhereEpsilonIsLarge(**K3), "what_is_stated_holds_elsewhere"),
    (SmallWhereEpsilonIsLarge(**K3), "what_is_stated_holds_elsewhere"),
    (Case(QuieterAtWorst(epsilon=1.0), NUMBERS), "what_is_stated_holds_elsewhere"),
    (Case(RoundsBeforeNoise(epsilon=1.0), NUMBERS), "numbers_between_the_inputs_are_as_stated"),
    (Case(StraightVariance(epsilon=1.0), NUMBERS), "numbers_between_the_inputs_are_as_stated"),
    (Case(TellsTheHalf(epsilon=1.0), np.arange(4), groups=TWO_GROUPS), "groups_are_told_by_the_public_part"),
    (Case(FirstKey(d=2, ell=1, epsilon=1.0), SETS), "order_of_keys_does_not_matter"),
    (Case(PlainAtFirst(**LETTERS), **WORDS), "respond_of_memoise_is_perturb"),
    (Case(PlainAgain(**LETTERS), **WORDS), "respond_again_is_perturb"),
    (Case(PlainToACrowd(**LETTERS), **WORDS), "respond_to_a_crowd_is_perturb"),
    (Case(AnybodysMemory(**LETTERS), **WORDS), "respond_of_memoise_is_perturb"),
    (ExpectsAllItems(**K3), "expected_and_variance_follow_the_people"),
    (NoiseOfAllItems(**K3), "expected_and_variance_follow_the_people"),
    (Case(SortsCandidates(k=3, cohorts=2, epsilon=1.0), **OPEN), "candidates_may_come_in_any_order"),
    (Case(InfluenceOnAll(k=3, cohorts=2, epsilon=1.0), **OPEN), "candidates_may_come_in_any_order"),
    (OthersSupporters(**K3), "supporters_are_as_many_as_support_says"),
    (ErrorsOverN(**K3), "standard_error_of_few_is_right"),
    (HalfErrorsAboutFew(**K3), "standard_error_of_few_is_right"),
    (HalfTheScatterOfSome(**K3), "standard_error_of_few_is_right"),
    (ErrorOfOne(**K3), "standard_error_of_few_is_right"),
    (HypotOfErrors(**K3), "contrasts_are_right"),
    (SumsOfASample(**K3), "contrasts_are_right"),
    (NobodyAddsNothing(**K3), "contrasts_are_right"),
    (Case(GuessesErrors(epsilon=1.0), NUMBERS), "standard_error_of_few_is_right"),
    (Case(ForgetsTheDraw(sizes=(2, 2), epsilon=1.0), TWO_QUESTIONS), "estimates_of_those_asked_are_right"),
    (Case(SampleForPeople(sizes=(2, 2), epsilon=1.0), TWO_QUESTIONS), "estimates_of_those_asked_are_right"),
    (NoUpperEnd(**K3), "intervals_cover_on_both_sides"),
    (SureOfMost(**K3), "intervals_cover_on_both_sides"),
    (AlwaysAt95(**K3), "intervals_cover_on_both_sides"),
    (NarrowAboutPeople(**K3), "intervals_cover_on_both_sides"),
    (Case(NoDoubt(epsilon=1.0), NUMBERS), "intervals_cover_on_both_sides"),
    (NoLowerEnd(**K3), "intervals_cover_on_both_sides"),
    (ErrorAboutTheFirstTrials(**K3), "estimate_takes_trials_one_by_one"),
    (OneAxisOfTrials(**K3), "estimate_takes_trials_one_by_one"),
    (TwiceForOneSum(**K3), "noise_is_the_variance"),
    (SortsWhatItIsHanded(**K3), "tallies_add"),
    (PlainOfAList(**K3), "lists_are_as_good_as_arrays"),
    (PlainOfShortIntegers(**K3), "lists_are_as_good_as_arrays"),
    (NoSystem(**K3), "the_system_is_a_source_of_randomness"),
    (EqualOfAnyEpsilon(**K3), "a_mechanism_is_its_fields"),
    (EqualToItselfAlone(**K3), "a_mechanism_is_its_fields"),
    (Case(AnyNumber(epsilon=1.0), NUMBERS), "what_is_no_value_is_refused"),
    (Case(PlainBeyond(epsilon=1.0), NUMBERS), "what_is_no_value_is_refused"),
    (WrapsItems(**K3), "what_is_no_value_is_refused"),
    (WrapsReports(**K3), "forged_reports_count_once_or_are_refused"),
    (AnyNumberOfBits(k=5, epsilon=1.0, size=2), "forged_reports_count_once_or_are_refused"),
    (ReportsWithWeights(**K3), "forged_reports_count_once_or_are_refused"),
    (Case(NoLifetime(**LETTERS), **WORDS), "respond_of_memoise_is_perturb"),
    (GlobalEstimate(**K3), "same_seed_same_reports"),
    (AnyTargets(**K3), "influence_is_the_most_that_a_report_adds"),
    (AnySeed(**K3), "bad_rng_is_refused"),
    (AnyCounts(**K3), "foreign_and_empty_tallies_are_refused"),
    (EachTrialTwice(**K3), "simulate_has_the_law_of_many_clients"),
    (SortedTrials(**K3), "simulate_has_the_law_of_many_clients"),
    (MarginalsOfMany(**K3), "simulate_has_the_law_of_many_clients"),
]
MISTAKES += [(mechanism, f"test_{check}") for mechanism, check in ALONE]
MISTAKES += [(Case(PlainResponse(**LETTERS), **WORDS), "test_respond_of_memoise_is_perturb")]


def _named(x):
    return x if isinstance(x, str) else type(x.mechanism if isinstance(x, Case) else x).__name__


def _case(mechanism):
    """Of an oracle all items are inputs, and simulated; other mechanisms come with inputs of their own."""
    if isinstance(mechanism, Case):
        return mechanism
    return Case(mechanism, np.arange(mechanism.k), histogram=True)


@pytest.mark.parametrize("mechanism, check", ALONE, ids=_named)
def test_one_check_alone_finds_it(mechanism, check):
    with pytest.raises(AssertionError) as raised:
        check_mechanism(_case(mechanism))
    found = str(raised.value).splitlines()[1:]
    assert {line.partition(":")[0] for line in found} == {check}


def test_a_list_of_reports_is_named_and_no_check_is_made():
    with pytest.raises(AssertionError) as raised:
        check_mechanism(ListOfReports(**K3), range(3))
    assert str(raised.value).splitlines() == [
        "ListOfReports(k=3, epsilon=1.0) does not keep its contract",
        "of one person, reports come as list, and must be a plain array",
    ]


def test_numbers_of_an_honest_crowd_are_uniform_and_alone():
    """What the limits are about, in 200 crowds: the largest of 200 maxima stays below them."""
    example, limit = Case(OUE(k=3, epsilon=1.0), np.arange(3)), 7.6
    which = contract._people(example, 1000)
    largest, rectangles = [], []
    for seed in range(200):
        drawn = example.mechanism.perturb(which, rng=np.random.default_rng(seed))
        for x in contract._numbers(example, which, drawn):
            assert abs(x.mean()) < 6 / np.sqrt(1000) and abs(np.square(x).mean() - 1) < 6 * np.sqrt(0.8 / 1000)
            largest.append(contract._together(x)[0])
            rectangles.append(contract._rectangles(x.reshape(40, 25)))
    assert 3 < np.median(largest) < 4.5 and max(largest) < limit
    assert abs(np.mean(rectangles)) < 0.2 and 0.8 < np.std(rectangles) < 1.2 and max(rectangles) < 6


def test_the_bound_of_counts_holds_for_a_few_rare_ones():
    """The chance of two counts is binomial: the bound is above it, and chi-square far below."""
    n, q = 4000, 5 / 4000
    for seen in (10, 15, 20, 25):
        counts, expected = [seen, n - seen], [n * q, n - n * q]
        assert bdtrc(seen - 1, n, q) < contract.likelihood(counts, expected)
    assert contract.chi_square([20, n - 20], [5, n - 5]) < 1e-3 * bdtrc(19, n, q)
    assert contract.likelihood([50, 50], [50, 50]) == 1 and contract.likelihood([7], [7]) == 1
    assert contract.likelihood([100, 0], [0.0, 100.0]) == 0


@pytest.mark.parametrize("kind, shown", [(HalfBudget, 0.5), (Thresholding, 0.87), (AtMostHalf, 0.5)])
@pytest.mark.filterwarnings("ignore:.*the realised ε is less")
def test_less_than_epsilon_is_said_and_is_no_breach(kind, shown):
    mechanism = kind(**K3)
    assert mechanism.realised_epsilon == pytest.approx(shown, abs=0.02)
    with pytest.warns(contract.Slack, match=r"shows less than ε = 1\.0: at most, report .* by 0\.\d+"):
        kept = check_mechanism(mechanism, np.arange(3))
    assert len(kept) > 20


@pytest.mark.parametrize("mechanism, caught_by", MISTAKES, ids=_named)
def test_mistake_is_caught(mechanism, caught_by):
    case = mechanism if isinstance(mechanism, Case) else Case(mechanism, np.arange(3), histogram=True)
    with pytest.raises((AssertionError, KeyError)):
        getattr(Contract(), caught_by)(case)


OTHER_NOISE = [
    (WrongSums(**K3), np.arange(3), "^linear_variance at .* is .*, found"),
    (WrongRareNoise(**K3), np.arange(3), r"^rare_variance at \(0, 1\) is .*, found"),
    (WrongWorstNoise(epsilon=1.0), np.array([-1.0, 1.0]), "^worst_variance is .*, found"),
]


@pytest.mark.parametrize("mechanism, inputs, said", OTHER_NOISE, ids=lambda x: x if isinstance(x, str) else "")
def test_other_statements_of_noise_are_named_and_nothing_else_is_wrong(mechanism, inputs, said):
    with pytest.raises(AssertionError, match=said):
        contract.noise_is_the_variance(Case(mechanism, inputs))
    with pytest.raises(AssertionError) as raised:
        check_mechanism(mechanism, inputs)
    assert len(str(raised.value).splitlines()) == 2


def test_an_error_of_a_check_does_not_hide_what_others_find():
    class NoSums(GRR):
        report_bits = 1

        def linear_variance(self, weights):
            raise RuntimeError("to be done")

    with pytest.raises(AssertionError) as raised:
        check_mechanism(NoSums(**K3), range(3))
    assert str(raised.value).splitlines()[1:] == [
        "report_has_the_stated_size: report_bits is 1, but 3 private parts take 2",
        "noise_is_the_variance: RuntimeError: to be done",
    ]
    assert isinstance(raised.value.__cause__, RuntimeError)


def test_what_simulates_items_is_looked_at_unasked():
    with pytest.raises(AssertionError, match="simulate_has_the_law_of_two_clients: simulate of inputs 0 and 0"):
        check_mechanism(OthersSimulated(**K3), range(3))


def test_a_class_that_is_no_dataclass_is_told_what_to_write():
    class Plain(Mechanism):
        epsilon = 1.0
        realised_epsilon = expected = variance = None
        layout = _values = _perturb = _count = _score = None

    with pytest.raises(AssertionError, match=r"Plain must be a dataclass: write @dataclass\(frozen=True"):
        check_mechanism(Plain(), range(3))


@pytest.mark.parametrize(
    "inputs, more, said",
    [
        ([0], {}, "inputs must be at least two, to be told apart, got 1"),
        ([], {}, "inputs must be at least two, to be told apart, got 0"),
        ({0, 1}, {}, "inputs must be a list, an array or Records, got {0, 1}"),
        (range(3), {"groups": ((slice(0, 2), 1.0), (slice(2, 3), 1.0))}, "groups must have at least two inputs"),
        ([0, 0, 1, 2], {"histogram": True}, "histogram must be False unless inputs are one of each that simulate"),
        ([0, 1], {"histogram": True}, "histogram must be False unless inputs are one of each that simulate"),
    ],
)
def test_examples_that_cannot_be_tried_are_told_why(inputs, more, said):
    with pytest.raises(AssertionError, match=said):
        check_mechanism(GRR(**K3), inputs, **more)


@pytest.mark.parametrize(
    "groups, said",
    [
        (((slice(0, 2), 1.0),), "input 2 is in 0"),
        (((slice(0, 2), 1.0), (slice(1, 4), 1.0)), "input 1 is in 2"),
        (TWO_GROUPS, "groups 0 and 1 have a public part in common"),
    ],
)
def test_groups_have_each_input_once_and_nothing_public_in_common(groups, said):
    oracle = OLH(k=4, epsilon=1.0, g=2, prime=5)
    with pytest.raises(AssertionError, match=said):
        contract.groups_are_told_by_the_public_part(Case(oracle, np.arange(4), groups=groups))


@dataclass(frozen=True, kw_only=True)
class Between(GRR):
    """No mistake: ε has limits of its own."""

    least: float = 0.5
    most: float = 5.0

    def __post_init__(self):
        super().__post_init__()
        if not self.least <= self.epsilon <= self.most:
            raise ValueError(f"epsilon must be in [{self.least}, {self.most}], got {self.epsilon}")


@dataclass(frozen=True, kw_only=True)
class Counted(GRR):
    """No mistake: a method is called as a field of other classes is."""

    def count(self):
        return self.k


@dataclass(frozen=True, kw_only=True)
class PerCent(Mechanism):
    """No mistake: numbers between 0 and 100, and a method that only items have elsewhere."""

    epsilon: float
    limits = {"epsilon": check_epsilon}
    number = cached_property(lambda self: TwoPoint(epsilon=self.epsilon))
    realised_epsilon = property(lambda self: self.number.realised_epsilon)
    layout = property(lambda self: self.number.layout)
    worst_variance = property(lambda self: 50**2 * self.number.worst_variance)

    def _values(self, values):
        return self.number._values(np.asarray(values, float) / 50 - 1)

    def _perturb(self, values, rng):
        return self.number._perturb(values, rng)

    def _count(self, reports):
        return self.number._count(reports)

    def _worst(self):
        return self.number._worst()

    def _score(self, tally):
        return 50 + 50 * self.number._score(tally)

    def expected(self, values):
        return 50 + 50 * self._values(values)

    def variance(self, values):
        return 50**2 * self.number.variance(np.asarray(values, float) / 50 - 1)

    def linear_variance(self, weights):
        return np.square(weights) * self.worst_variance


@pytest.mark.parametrize(
    "right",
    [
        Case(Between(**K3), np.arange(3)),
        Case(Counted(**K3), np.arange(3)),
        Case(PerCent(epsilon=1.0), np.array([0.0, 100.0, 30.0])),
    ],
    ids=_named,
)
def test_what_is_unusual_is_no_mistake(right):
    assert len(check_mechanism(right)) > 25


def test_a_client_that_changes_its_values_is_named():
    class Clears(GRR):
        def perturb(self, values, *, rng):
            reports = super().perturb(values, rng=rng)
            values[...] = 0
            return reports

    class ClearsAfterNoise(Clears):
        def perturb(self, values, *, rng):
            reports = GRR.perturb(self, values, rng=rng)
            if isinstance(rng, Paths) and rng._taken[0][0] == 1:  # a report that does not need the value
                values[...] = 0
            return reports

    for kind in (Clears, ClearsAfterNoise):
        with pytest.raises(AssertionError, match="changes the values that it is handed"):
            contract.Known(Case(kind(**K3), np.arange(3)))


def test_no_check_is_without_a_mistake_that_it_catches():
    assert {f"test_{check.__name__}" for check in checks} == {caught_by for _, caught_by in MISTAKES}


@pytest.mark.parametrize("mistake", [SortsReports, ValueByValue])
def test_one_order_of_people_is_not_enough(mistake):
    """The control of those who put people in order: people who stand in it already do not show it."""
    for people in ((0, 0), (0, 1), (1, 2)):
        contract._independent(Case(mistake(**K3), np.arange(3)), people)


def test_a_number_of_draws_may_be_random_if_it_tells_nothing():
    Contract().test_draws_tell_no_more_than_the_report(Case(CoinsForAnybody(**K3), np.arange(3)))


def test_two_people_are_not_enough():
    people_are_independent(Case(TwoCoinsForThree(**K3), np.arange(3)))


def test_randomness_from_elsewhere_is_refused_by_the_law():
    with pytest.raises(ValueError, match="does not come from chance"):
        Contract().test_draws_follow_the_law(Case(OwnRandomness(**K3), np.arange(3), histogram=True))
