"""A page in one HTML file that needs nothing else, in light and dark: what the reports share."""

from html import escape

POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # nothing from anywhere else
WITH_IMAGES = f"{POLICY}; img-src data:"  # but for images inside the page

PAGE_COLOURS = """
:root { color-scheme: light dark; --ink: #1f2328; --faint: #656d76; --rule: #e4e7eb; --back: #f6f7f9; }
"""


def whole_page(*, title: str, style: str, body: str, policy: str = POLICY) -> str:
    """Return the page; ``body`` is HTML, ``title`` is text, and ``style`` comes after the shared colours.

    >>> whole_page(title="1 < 2", style="p { margin: 0; }", body="<p>Yes.</p>").splitlines()[6]
    '<title>1 &lt; 2</title>'
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<style>{PAGE_COLOURS}{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
