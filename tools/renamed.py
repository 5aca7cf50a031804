"""The closed table of names of the second edition: what code was called before, and what it is called now."""

import re

NAMES = {
    "noise": "variance",
    "target": "expected",
    "linear_noise": "linear_variance",
    "rare_noise": "rare_variance",
    "worst_noise": "worst_variance",
    "SE": "StateEncoding",
    "SESplit": "StateEncodingSplit",
    "SampledSHist": "SampledHadamardBit",
    "onebit": "hadamard",
    "joint": "bitflip",
    "unknown": "unknown_strings",
}
OLD = re.compile(rf"\b({'|'.join(NAMES)})\b")


def renamed(text: str) -> str:
    """Give a text with every old name, as a whole word, replaced by the new one."""
    return OLD.sub(lambda found: NAMES[found[0]], text)
