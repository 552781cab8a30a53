"""Ids of headings, as docs/ is linked."""
import re


def heading_id(text, separator):
    """The id of a heading, as it is made where the sources are shown: lower case, spaces are hyphens, marks are left out."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", separator)
