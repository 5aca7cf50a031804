"""What pyproject.toml cannot say: the description is README without what leads into the repository, and its address.

An index page has no files of the repository: there a relative image would be broken, and a relative link lead nowhere.
"""

import os
import re
from pathlib import Path

from setuptools import setup

parts = re.split(r"(^```.*?^```$)", Path("README.md").read_text("utf-8"), flags=re.M | re.S)  # text, code, text, …
parts[::2] = [re.sub(r"<img [^>]*>\n\n", "", text) for text in parts[::2]]
parts[::2] = [re.sub(r"\[([^]]+)\]\((?!https?:)[^)]+\)", r"\1", text) for text in parts[::2]]
address = os.environ.get("LDPNB_REPOSITORY", "").rstrip("/")  # which stands nowhere else, as for the site
setup(
    long_description="".join(parts),
    long_description_content_type="text/markdown",
    project_urls={"Source": address} if address else {},
)
