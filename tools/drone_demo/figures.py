"""The other pictures: speeds against truth; the heatmap over the first picture and the time-space diagram, which the program drew,
with titles and scales."""
import math

from drone_demo import svg, truth

INFERNO = ["#000004", "#320a5e", "#781c6d", "#bb3754", "#ed6925", "#fbb61a", "#fcffa4"]  # of matplotlib, as OpenCV has it
HEAT_MARGIN, HEAT_CELLS = 20.0, 1000.0  # of the program's heatmap: cells around the places, and along their longer extent
WIDTH = 960.0
SHOWN_EVERY = 0.5  # seconds between a vehicle's points


def thinned(pairs):
    """One of each half second of a vehicle."""
    shown = {}
    for pair in pairs:
        shown.setdefault((pair.vehicle, math.floor(pair.seconds / SHOWN_EVERY)), pair)
    return list(shown.values())


def speeds(measured):
    """SVG: the found speed over the true one."""
    pairs = [(truth.KMH * pair.true, truth.KMH * pair.found, truth.KMH * (pair.half_width or 0)) for pair in thinned(measured.sightings())]
    most = max(10 * math.ceil((max([50, *(max(true, found + half) for true, found, half in pairs)])) / 10), 60)
    axes = svg.Axes(80, 52, 560, 560, (0, most), (0, most))
    parts = axes.drawn("true speed, km/h", "found speed, km/h")
    parts.append(svg.line(axes.at(0, 0), axes.at(most, most), svg.INK, 1.5, 'stroke-dasharray="6 4"'))
    inside = 0
    for true, found, half in pairs:
        holds = abs(found - true) <= half
        inside += holds
        colour = svg.BLUE if holds else svg.ORANGE
        parts += [svg.line(axes.at(true, found - half), axes.at(true, found + half), colour, 1, 'opacity="0.45"'),
                  svg.circle(axes.at(true, found), 3.2, colour, 'opacity="0.8"')]
    x, error, kmh = 668, measured.median_error(), measured.median_error_kmh()
    told = [("dashed", "found = true"), (svg.BLUE, f"95 % interval holds: {inside}"), (svg.ORANGE, f"it does not: {len(pairs) - inside}")]
    for row, (mark, words) in enumerate(told):
        y = 80 + 28 * row
        parts.append(svg.line((x, y), (x + 22, y), svg.INK, 1.5, 'stroke-dasharray="6 4"') if mark == "dashed" else svg.circle((x + 11, y), 5, mark))
        parts.append(svg.text(x + 32, y + 5, words))
    facts = [f"{len(measured.vehicles)} vehicles above 10 km/h,", "a point each half second"]
    facts += [f"median error {100 * error:.1f} %,", f"{kmh:.2f} km/h"] if error is not None else []
    parts += [svg.text(x, 190 + 22 * row, words) for row, words in enumerate(facts)]
    return svg.whole(WIDTH, 672, "Speeds against truth", parts)


def heatmap(heat, backdrop, pixels, size):
    """SVG: the program's heatmap over the first picture. `heat`: PNG; `backdrop`: JPEG; `pixels`: all places in the first picture,
    which say how the heatmap's cells lie in it; `size`: of the picture."""
    scale = WIDTH / size[0]
    least = [min(pixel[axis] for pixel in pixels) for axis in (0, 1)]
    longer = max(max(pixel[axis] for pixel in pixels) - least[axis] for axis in (0, 1))
    cell = longer / HEAT_CELLS
    width, height = svg.png_size(heat)
    frame = {"x": scale * (least[0] - HEAT_MARGIN * cell), "y": scale * (least[1] - HEAT_MARGIN * cell),
             "width": scale * width * cell, "height": scale * height * cell}
    below = scale * size[1]
    parts = [f'<svg y="46" width="{WIDTH}" height="{below:.1f}" style="isolation:isolate">',
             svg.image(backdrop, f'width="{WIDTH}" height="{below:.1f}" style="filter:grayscale(1) brightness(0.62)"', "jpeg"),
             svg.image(heat, " ".join(f'{key}="{value:.2f}"' for key, value in frame.items()) + ' style="mix-blend-mode:screen"'), "</svg>"]
    shares = {math.log(1000 * share + 1) / math.log(1001): words for share, words in ((0.001, "0.1 %"), (0.01, "1 %"), (0.1, "10 %"), (1, "100 %"))}
    title = "time that vehicles spent there, as a share of the place where they spent most (by logarithm)"
    parts += svg.scale_bar(INFERNO, 24, below + 76, 420, 12, shares, title, "#f2f4f6")
    return svg.whole(WIDTH, below + 120, "Where vehicles spent their time", parts, "#12161c")


def time_space(diagram, lane):
    """SVG: the program's diagram (PNG) with what its axes are."""
    width, height = svg.png_size(diagram)
    high = (WIDTH - 40) * height / width
    parts = [svg.image(diagram, f'x="36" y="44" width="{WIDTH - 40}" height="{high:.1f}"'),
             svg.text(WIDTH / 2 + 20, high + 60, "time in the video", 15, "middle"),
             svg.text(26, 44 + high / 2, "distance along the lane; the line across the arm is "
                      f"at {lane.to_line:.0f} m", 15, "middle", turn=-90)]
    return svg.whole(WIDTH, high + 76, f"Lane from the {lane.name}: each line is a vehicle, its slope is its speed, flat means waiting", parts)
