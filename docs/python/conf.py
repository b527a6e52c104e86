"""Sphinx: the API reference from docstrings. Built by `make docs-python`."""

import geotherm

project = "geotherm"
author = "the geotherm authors"
version = release = geotherm.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
html_theme = "alabaster"
html_theme_options = {"description": "Maps that keep geodesics", "page_width": "1080px"}
exclude_patterns = ["notebooks"]
