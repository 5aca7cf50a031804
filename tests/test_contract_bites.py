"""Controls: mechanisms with one mistake each, and the test of the contract that must catch it."""

import random
from dataclasses import dataclass
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from contract import Case, Contract
from scipy.special import bdtrc

from ldpnb.chance import Paths, bernoulli, exact, odds, round_down, round_up, uniform
from ldpnb.core import Tally
from ldpnb.numbers import TwoPoint
from ldpnb.oracles.frequency import GRR, OLH, OUE, SUE, UnaryEncoding
from ldpnb.strings.rappor import ORR
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

    _most = 1


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

    crowd = 1000

    def coin_of(self, values, rng):
        people = np.arange(len(values))
        return np.minimum(people, people[::-1])


@dataclass(frozen=True, kw_only=True)
class CoinOfARank(SharesCoins):
    """In a crowd of thousands, the i-th person of each value has the i-th coin."""

    crowd = 1000

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
class WaldIntervals(SUE):
    """Takes the standard errors seen for those of an item that hardly anybody supports."""

    def interval(self, tally, z, *, people=False):
        half = z * self.standard_error(tally)
        return self.estimate(tally) - half / 2, self.estimate(tally) + half / 2


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


K3 = dict(k=3, epsilon=1.0)


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
    (WantsAList(k=2, cohorts=1, epsilon=1.0), "test_card_is_right"),
]


ALONE = [  # mistakes that one check finds, and no other
    (PlainWhereEpsilonIsLarge(**K3), "epsilon_of_the_law_is_the_stated_one_elsewhere"),
    (PlainWhereEpsilonIsVeryLarge(**K3), "epsilon_of_the_law_is_the_stated_one_elsewhere"),
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
    (HalfOfTheError(**K3), "standard_error_is_right"),
    (ErrorsOfASample(**K3), "standard_error_is_right"),
    (LargeErrorsInACrowd(**K3), "standard_error_is_right"),
    (WaldIntervals(**K3), "an_item_that_nobody_holds_is_covered"),
    (OneOrTwoEntries(**K3), "influence_is_the_most_that_a_report_adds"),
    (OneMoreInACrowd(**K3), "tallies_add"),
    (IdleGlobalDraw(**K3), "same_seed_same_reports"),
    (RoundsInACrowd(**K3), "estimate_is_the_mean_of_scores"),
    (ErrorOfTheFirstTrial(**K3), "estimate_takes_trials_one_by_one"),
]
MISTAKES += [(mechanism, f"test_{check}") for mechanism, check in ALONE]


@pytest.mark.parametrize("mechanism, check", ALONE, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_one_check_alone_finds_it(mechanism, check):
    with pytest.raises(AssertionError) as raised:
        check_mechanism(Case(mechanism, np.arange(mechanism.k), histogram=True))
    found = str(raised.value).splitlines()[1:]
    assert {line.partition(":")[0] for line in found} == {check}


def test_a_list_of_reports_is_named_and_no_check_is_made():
    with pytest.raises(AssertionError) as raised:
        check_mechanism(ListOfReports(**K3), range(3))
    assert str(raised.value).splitlines() == [
        "ListOfReports(k=3, epsilon=1.0) does not keep its contract",
        "of one person, reports are a list, and must be an array",
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


@pytest.mark.parametrize("mechanism, caught_by", MISTAKES, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_mistake_is_caught(mechanism, caught_by):
    case = Case(mechanism, np.arange(3), histogram=True)
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


def test_a_sum_that_cannot_be_stated_is_an_error():
    class NoSums(GRR):
        def linear_variance(self, weights):
            raise RuntimeError("to be done")

    with pytest.raises(RuntimeError, match="to be done") as raised:
        check_mechanism(NoSums(**K3), range(3))
    assert "noise_is_the_variance" in raised.value.__notes__[0]


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
