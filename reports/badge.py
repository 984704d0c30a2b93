"""A status badge: how many statements hold, and how many findings there are, in one line."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from reports.labels import count_of
from reports.view import View

LEFT, LETTER, PAD, HEIGHT = "assay", 7, 8, 20
NAMESPACE = "http://www.w3.org/2000/svg"


def badge(view: View) -> bytes:
    """The badge as SVG."""
    broken, material = view.counts.get("broken", 0), view.grades["material"]
    counts = count_of(len(view.paper), "statement"), count_of(material, "material finding")
    text = f"{broken} broken" if broken else ", ".join(counts)
    left, right = LETTER * len(LEFT) + 2 * PAD, LETTER * len(text) + 2 * PAD
    root = ET.Element(
        "svg",
        {
            "xmlns": NAMESPACE,
            "width": str(left + right),
            "height": str(HEIGHT),
            "role": "img",
            "aria-label": f"{LEFT}: {text}",
        },
    )
    _box(root, 0, left, "#3a424a", LEFT)
    _box(root, left, right, "#941071" if broken else "#0c5a86", text)
    content: bytes = ET.tostring(root, encoding="utf-8")
    return content + b"\n"


def _box(root: ET.Element, x: int, width: int, colour: str, text: str) -> None:
    shape = {"x": str(x), "width": str(width), "height": str(HEIGHT), "fill": colour}
    ET.SubElement(root, "rect", shape)
    place = {"x": str(x + PAD), "y": "14", "fill": "#fff", "textLength": str(width - 2 * PAD)}
    font = {"font-family": "Verdana,DejaVu Sans,sans-serif", "font-size": "11"}
    ET.SubElement(root, "text", {**place, **font}).text = text
