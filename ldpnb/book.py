"""The former place of what the pages of the book share, which is `ldpnb_book` now."""

raise ModuleNotFoundError(
    "ldpnb.book is ldpnb_book now, in a distribution of its own, ldpnb-book: say ldpnb_book "
    "instead, and install it with python -m pip install . ./book in the book's repository, or from "
    "ldpnb_book-….whl, which lies beside ldpnb-….whl in the archive of all chapters",
    name=__name__,
)
