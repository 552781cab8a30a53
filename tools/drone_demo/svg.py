"""Pictures as SVG text: shapes, axes, legends, embedded PNG files. Lengths are in pixels of the picture."""
import base64
import html
import math
import struct

FONT = 'font-family="DejaVu Sans, Verdana, sans-serif"'
INK, PALE = "#22282f", "#d7dce1"
# Colours that people tell apart whatever colours they see (Okabe and Ito 2008).
BLUE, ORANGE = "#0072b2", "#d55e00"


def text(x, y, words, size=14, anchor="start", colour=INK, weight="normal", turn=0):
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}" '
            f'{FONT}{turned}>{html.escape(str(words))}</text>')


def line(a, b, colour=INK, width=1.0, more=""):
    return f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{colour}" stroke-width="{width}" {more}/>'


def circle(at, radius, colour, more=""):
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" fill="{colour}" {more}/>'


def box(x, y, width, height, colour, more=""):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" {more}/>'


def polyline(points, colour):
    """Of points that are half a pixel apart or more; its width and ends are those of `lines`."""
    kept = points[:1]
    for point in points[1:]:
        if math.dist(point, kept[-1]) >= 0.5:
            kept.append(point)
    kept = kept if len(kept) > 1 else points[:1] + points[-1:]
    return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in kept)}" stroke="{colour}"/>'


def lines(parts, width):
    """All of these lines as wide, with round ends."""
    return [f'<g fill="none" stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round">', *parts, "</g>"]


def png_size(data):
    """(width, height) by the file's IHDR."""
    return struct.unpack(">II", data[16:24])


def image(data, more, kind="png"):
    return f'<image href="data:image/{kind};base64,{base64.b64encode(data).decode()}" preserveAspectRatio="none" {more}/>'


def whole(width, height, title, parts, ground="#ffffff"):
    """The SVG file: its title stands in the upper left corner."""
    ink = INK if ground == "#ffffff" else "#f2f4f6"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img">'
            f'<title>{html.escape(title)}</title>{box(0, 0, width, height, ground)}{text(16, 28, title, 18, colour=ink, weight="bold")}'
            + "".join(parts) + "</svg>\n")


def ticks(least, most, count):
    """Round numbers of [least, most], about so many."""
    rough = (most - least) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first = math.ceil(least / step - 1e-9)
    return [number * step for number in range(first, math.floor(most / step + 1e-9) + 1)]


def mixed(stops, share):
    """The colour so far along the stops, which are "#rrggbb"."""
    at = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    index = min(int(at), len(stops) - 2)
    pairs = zip(*(bytes.fromhex(stop[1:]) for stop in stops[index:index + 2]))
    return "#" + bytes(round(a + (b - a) * (at - index)) for a, b in pairs).hex()


class Axes:
    """A frame with axes: of data to pixels."""

    def __init__(self, left, top, width, height, x_range, y_range):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x_range, self.y_range = x_range, y_range

    def at(self, x, y):
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return self.left + self.width * across, self.top + self.height * (1 - up)

    def drawn(self, x_title, y_title, colour=PALE):
        parts, bottom, right = [], self.top + self.height, self.left + self.width
        for value in ticks(*self.x_range, 8):
            x, _ = self.at(value, self.y_range[0])
            parts += [line((x, self.top), (x, bottom), colour), text(x, bottom + 20, f"{value:g}", anchor="middle")]
        for value in ticks(*self.y_range, 8):
            _, y = self.at(self.x_range[0], value)
            parts += [line((self.left, y), (right, y), colour), text(self.left - 8, y + 5, f"{value:g}", anchor="end")]
        parts.append(box(self.left, self.top, self.width, self.height, "none", f'stroke="{INK}"'))
        parts.append(text(self.left + self.width / 2, bottom + 44, x_title, 15, "middle"))
        parts.append(text(self.left - 46, self.top + self.height / 2, y_title, 15, "middle", turn=-90))
        return parts


def scale_bar(stops, left, top, width, height, ticks_by_share, title, colour=INK):
    """A strip of the colours with values below it; `ticks_by_share`: {0 to 1: text}."""
    steps = 64
    parts = [text(left, top - 8, title, 13, colour=colour)]
    parts += [box(left + width * step / steps, top, width / steps + 0.6, height, mixed(stops, step / (steps - 1))) for step in range(steps)]
    for share, words in ticks_by_share.items():
        parts += [line((left + width * share, top + height), (left + width * share, top + height + 4), colour),
                  text(left + width * share, top + height + 18, words, 13, "middle", colour)]
    return parts
