"""The closed table of names of the second edition: what code was called before, and what it is called now.

Of pairs that clashed one was renamed, as `blocks.best_size` to `best_block_size`.  Those are not here: the old word
still means the other one, and a text does not say which.
"""

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
