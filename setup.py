"""The description on a package index: the README without pictures and links to files."""

import re
from pathlib import Path

from setuptools import setup

readme = (Path(__file__).parent / "README.md").read_text()
readme = re.sub(r"!\[[^]]*\]\([^)]*\)\n*", "", readme)
readme = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", readme)

setup(long_description=readme, long_description_content_type="text/markdown")
