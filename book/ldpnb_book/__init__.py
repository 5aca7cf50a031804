"""What the chapters share: style, ledger, experiments, data sets, broken clients."""

from typing import TYPE_CHECKING

from ldpnb._door import door

if TYPE_CHECKING:
    from ldpnb_book._style import (
        COLOURS as COLOURS,
        dots as dots,
        label_lines as label_lines,
        line as line,
        plain_ticks as plain_ticks,
        simulation as simulation,
        style as style,
        table as table,
        theory as theory,
    )
    from ldpnb_book.experiment import (
        recorded as recorded,
        relative_error as relative_error,
        sweep as sweep,
    )
    from ldpnb_book.ledger import (
        check as check,
        close as close,
        settle as settle,
    )

# all that is imported anywhere below: a chapter needs it, and no module of the book need ask again
NEEDED = "IPython PIL distributed joblib matplotlib matplotlib_inline pandas seaborn sklearn statsmodels tqdm yaml"
__getattr__, __dir__, __all__ = door(__name__, __file__, chapters=tuple(NEEDED.split()))
