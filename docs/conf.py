"""How the documentation is built: ``python -m sphinx -W --keep-going -b html docs build/docs``.

Nothing is fetched while it is built, and nothing while it is read: formulas become MathML, which browsers draw
themselves; the theme's styles and scripts, and the index of the search, are files beside the pages.
"""

from __future__ import annotations

import sys
from pathlib import Path

import linkwright

sys.path.insert(0, str(Path(__file__).parent / "sphinx"))

project = "Linkwright"
author = "the authors of Linkwright"
copyright = author
version = release = linkwright.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
extensions += ["formulas", "names", "pages", "player", "commands"]
exclude_patterns = ["sphinx", "pictures"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto"]

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_class_signature = "separated"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_preprocess_types = False
suppress_warnings = ["ref.python"]  # words in the types of parameters, such as "rows", are names of several classes
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
toc_object_entries = False
add_module_names = False
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"Linkwright {version}"
html_short_title = "Linkwright"
html_favicon = html_logo = "sphinx/static/logo.svg"
html_static_path = ["sphinx/static"]
html_css_files = ["pages.css"]
html_js_files = ["pages.js"]
html_sourcelink_suffix = ".txt"
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": ["view"], "footer_icons": []}
pygments_style = "friendly"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
