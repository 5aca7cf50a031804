"""Pages at the old addresses of lessons, which lead to the new ones.

Until version 1.0.0 the numbers of files were not those that the site prints.  A script on the old
page goes on to the new one and keeps the section (#…); where no scripts run there is a link.  This
needs no server.  The pages stand in no table of contents, and the search does not know them.
"""

from html import escape
from pathlib import Path

MOVED = {
    "10_frequency": "04_frequency",
    "11_limit": "05_limit",
    "12_sensible": "06_sensible",
    "13_onebit": "07_onebit",
    "14_rappor": "08_rappor",
    "15_unknown_strings": "09_unknown_strings",
    "16_one_number": "10_one_number",
    "17_many_numbers": "11_many_numbers",
    "18_distortion": "12_distortion",
    "19_distribution": "13_distribution",
    "20_keyvalue": "14_keyvalue",
    "21_correlation": "15_correlation",
    "22_pckv": "16_pckv",
    "23_keys_come_and_go": "17_keys_come_and_go",
    "30_sets": "18_sets",
    "31_two_phases": "19_two_phases",
    "40_joint_tables": "20_joint_tables",
    "41_networks": "21_networks",
    "42_public_table": "22_public_table",
    "50_choosing": "23_choosing",
    "51_own_survey": "24_own_survey",
    "52_service": "25_service",
}
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<title>{title}</title>
<link rel="canonical" href="{new}.html">
<script>location.replace("{new}.html" + location.hash)</script>
</head>
<body>
<p>This page has moved: <a href="{new}.html">{title}</a></p>
</body>
</html>
"""


def lead_on(app, error):
    """Write a page at each old address whose lesson is in the book."""
    if error is not None or app.builder.name != "html":
        return
    for old, new in MOVED.items():
        if f"notebooks/{new}" in app.env.found_docs:
            title = app.env.titles[f"notebooks/{new}"].astext()
            page = PAGE.format(new=new, title=escape(title))
            Path(app.outdir, "notebooks", f"{old}.html").write_text(page, "utf-8")


def setup(app):
    app.connect("build-finished", lead_on)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
