"""The picture of the tracks on the ground: north above, the road below them, each piece in the colour of its speed."""
import math

from drone_demo import svg

GROUND, ROAD, PAPER, UNKNOWN = "#161c24", "#39434f", "#f2f4f6", "#8b96a3"
SPEEDS = ["#4aa3ff", "#9fd0f5", "#f6f0c0", "#ffb454", "#ff6a2b"]  # slow to fast, blue to orange
FASTEST = 50.0  # km/h: the last colour
SIDE, TOP, BELOW = 900.0, 48.0, 70.0  # pixels
MARGIN = 8.0  # metres around the tracks
MOST_MISFIT = 1.5  # metres: where the picture is no map of the ground, the road is not drawn
LONGEST_GAP = 1.0  # seconds between two places of a line


def solve(rows, values):
    """The three numbers x with rows * x = values, by least squares (normal equations, Cramer's rule)."""
    matrix = [[sum(row[i] * row[j] for row in rows) for j in range(3)] for i in range(3)]
    right = [sum(row[i] * value for row, value in zip(rows, values)) for i in range(3)]

    def det(m):
        return sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))

    whole = det(matrix)
    return [det([[right[i] if j == column else matrix[i][j] for j in range(3)] for i in range(3)]) / whole for column in range(3)]


def picture_to_metres(pairs):
    """((a, b, c), (d, e, f)): east = a + b x + c y, north = d + e x + f y, by pairs of a pixel and a place about which they are
    known; None: too few, or no such map fits."""
    middle = [sum(pixel[axis] for pixel, _ in pairs) / len(pairs) for axis in (0, 1)] if pairs else [0, 0]
    rows = [(1.0, x - middle[0], y - middle[1]) for (x, y), _ in pairs]
    if len(rows) < 10 or min(max(row[axis] for row in rows) - min(row[axis] for row in rows) for axis in (1, 2)) < 50:
        return None
    fits = [solve(rows, [place[axis] for _, place in pairs]) for axis in (0, 1)]
    misfit = [math.hypot(*(sum(f * r for f, r in zip(fit, row)) - place[axis] for axis, fit in enumerate(fits)))
              for row, (_, place) in zip(rows, pairs)]
    if math.sqrt(sum(each * each for each in misfit) / len(misfit)) > MOST_MISFIT:
        return None
    return [(fit[0] - fit[1] * middle[0] - fit[2] * middle[1], fit[1], fit[2]) for fit in fits]


class Map:
    """From metres to pixels of the drawing."""

    def __init__(self, places):
        east, north = ([place[axis] for place in places] for axis in (0, 1))
        self.west, self.north = min(east) - MARGIN, max(north) + MARGIN
        width, height = max(east) + MARGIN - self.west, self.north - min(north) + MARGIN
        self.scale = min(SIDE / width, SIDE / height)
        self.width, self.height = SIDE, height * self.scale
        self.west -= (SIDE / self.scale - width) / 2

    def at(self, place):
        return (place[0] - self.west) * self.scale, TOP + (self.north - place[1]) * self.scale

    def of_picture(self, fits):
        """The SVG transform from pixels of the first picture."""
        (a, b, c), (d, e, f) = fits
        x, y = self.at((a, d))
        scale = self.scale
        return f"matrix({b * scale:.6f} {-e * scale:.6f} {c * scale:.6f} {-f * scale:.6f} {x:.3f} {y:.3f})"


def road(drawing, mask, fits):
    width, height = svg.png_size(mask)
    placed = svg.image(mask, f'transform="{drawing.of_picture(fits)}" width="{width}" height="{height}"')
    return [f'<mask id="road">{placed}</mask>',
            svg.box(0, TOP, drawing.width, drawing.height, ROAD, 'mask="url(#road)"')]


def pieces(drawing, track):
    """A line of each run of sightings whose speeds have the same colour."""
    parts, points, colour = [], [], None
    for sighting, after in zip(track, track[1:]):
        speed = after.speed_kmh
        shade = UNKNOWN if speed is None else svg.mixed(SPEEDS, round(speed / FASTEST * 12) / 12)
        apart = after.seconds - sighting.seconds > LONGEST_GAP
        if points and (shade != colour or apart):
            parts.append(svg.polyline(points, colour))
            points = []
        if apart:
            continue
        points = points or [drawing.at(sighting.place)]
        points.append(drawing.at(after.place))
        colour = shade
    if points:
        parts.append(svg.polyline(points, colour))
    return parts


def beside(arm, scale):
    """How far to the right of the arm's middle its label lies, in metres; the label has 140 x 40 pixels."""
    across, up = abs(arm.inwards[1]), abs(arm.inwards[0])
    return arm.width / 2 + (70 * across + 20 * up + 14) / scale


def gates(drawing, arms, counts):
    parts = []
    for arm in arms:
        begin, end = drawing.at(arm.begin), drawing.at(arm.end)
        parts.append(svg.line(begin, end, PAPER, 2, 'stroke-dasharray="5 4"'))
        words = ", ".join(f"{found} of {true} {way}" for name, way, true, found in counts if name == arm.name)
        x, y = drawing.at(arm.place(-6.0, beside(arm, drawing.scale)))
        x = min(max(x, 75), drawing.width - 75)
        y = min(max(y, TOP + 20), TOP + drawing.height - 30)
        parts += [svg.box(x - 70, y - 17, 140, 40, GROUND, 'opacity="0.7" rx="4"'), svg.text(x, y, arm.name, 14, "middle", PAPER, "bold"),
                  svg.text(x, y + 16, words, 13, "middle", PAPER)]
    return parts


def legend(drawing):
    y, length = TOP + drawing.height + 30, 20 * drawing.scale
    shown = {speed / FASTEST: f"{speed:g}" for speed in (0, 10, 20, 30, 40, 50)}
    parts = svg.scale_bar(SPEEDS, 24, y, 300, 12, shown, "speed, km/h (grey: not known)", PAPER)
    right = drawing.width - 70
    parts += [svg.line((right - length, y + 12), (right, y + 12), PAPER, 3), svg.text(right - length / 2, y + 30, "20 m", 13, "middle", PAPER)]
    north = drawing.width - 34
    parts += [svg.line((north, y + 20), (north, y - 14), PAPER, 2), svg.text(north, y + 34, "N", 13, "middle", PAPER),
              f'<path d="M{north - 6:.1f} {y - 8:.1f} L{north:.1f} {y - 22:.1f} L{north + 6:.1f} {y - 8:.1f} Z" fill="{PAPER}"/>']
    return parts


def picture(tracks, arms, counts, mask):
    """SVG. `tracks`: lists of sightings with seconds, pixel, place (metres) and speed_kmh; `mask`: PNG of the road in the first picture."""
    drawing = Map([each.place for track in tracks for each in track] + [place for arm in arms for place in (arm.begin, arm.end)])
    fits = picture_to_metres([(each.pixel, each.place) for track in tracks for each in track if each.pixel])
    parts = [f'<clipPath id="map"><rect x="0" y="{TOP}" width="{drawing.width}" height="{drawing.height:.1f}"/></clipPath><g clip-path="url(#map)">']
    parts += road(drawing, mask, fits) if fits else []
    parts += svg.lines([piece for track in tracks if len(track) > 1 for piece in pieces(drawing, track)], 2.5)
    parts += [svg.circle(drawing.at(track[-1].place), 4, PAPER, f'stroke="{GROUND}"') for track in tracks]
    parts += [*gates(drawing, arms, counts), "</g>", *legend(drawing)]
    return svg.whole(drawing.width, TOP + drawing.height + BELOW, "Tracks on the ground", parts, GROUND)
