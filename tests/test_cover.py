"""The cover is what its script computes, and shows what it says."""

import cover
import numpy as np
import pytest
from PIL import Image


def far(one, other):
    """Return the mean difference of two pictures, of 255."""
    pictures = [np.asarray(picture.convert("RGB")).astype(float) for picture in (one, other)]
    return float(np.abs(pictures[0] - pictures[1]).mean())


def test_the_cover_is_what_the_script_draws():
    with Image.open(cover.COVER) as kept:
        assert kept.size == cover.SIZE
        assert far(kept, cover.draw()) < 1  # letters are drawn a little otherwise by other versions of Matplotlib
    assert cover.COVER.stat().st_size < 40_000


def test_another_seed_makes_another_cover(monkeypatch):
    monkeypatch.setattr(cover, "SEED", cover.SEED + 1)
    with Image.open(cover.COVER) as kept:
        assert far(kept, cover.draw()) > 5


@pytest.mark.parametrize("n", cover.PEOPLE)
def test_everybody_holds_a_point(n):
    shares = cover.letter()
    counts = cover.population(shares, n)
    assert counts.sum() == n and counts.min() >= 0
    assert np.abs(counts / n - shares.ravel()).max() <= 1 / n


def test_the_letter_shows_where_the_caption_says():
    shares = cover.letter().ravel()
    seen = [[np.corrcoef(square.ravel(), shares)[0, 1] for square in row] for row in cover.squares()]
    weak, strong = seen
    assert max(weak[0], strong[0], weak[1], weak[2] - 0.25) < 0.25
    assert min(weak[3], strong[2]) > 0.6 and strong[3] > 0.95
