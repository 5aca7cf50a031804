"""What reports are of: a mechanism, or a question of a survey, which has one."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ldpnb.checks import check_text, shown
from ldpnb.core import Mechanism


@runtime_checkable
class SurveyQuestion(Protocol):
    """A question of a survey: see `OneOf`."""

    mechanism: Any

    def encoded(self, values: Any) -> Any:
        """Return what the mechanism's `perturb` takes, of those people who send something."""

    def _candidates(self, items: Any) -> Any:
        """Return the candidates of a tally as the mechanism takes them."""

    @property
    def identity(self) -> str:
        """A name of what is asked, and of the mechanism."""


def mechanism_of(given: Mechanism | SurveyQuestion, label: str) -> tuple[Mechanism, str]:
    """Return a mechanism and a label for its reports: of a question its own, if nothing is said.

    Raises
    ------
    ValueError
        If it is neither a mechanism nor a question of a survey.
    """
    label = check_text(label, "label")
    if isinstance(given, Mechanism):
        return given, label
    if not isinstance(given, SurveyQuestion):
        rule = "a Mechanism, or a question of a survey"
        raise ValueError(f"mechanism must be {rule}, got {shown(given)}")
    return given.mechanism, label or given.identity
