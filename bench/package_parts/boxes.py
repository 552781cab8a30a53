"""Boxes of clients compared with those that `shingle run --json` prints."""
PIXEL, SHARE = 0.0051, 0.000051  # half of the last digit that is printed, and what float32 adds
ROWS = 20  # that Frigate takes


def within(printed, width, height):
    """(left, top, right, bottom) of a printed box as far as it lies in the picture."""
    edges = (printed["x"], printed["y"], printed["x"] + printed["w"], printed["y"] + printed["h"])
    return [min(max(edge, 0.0), side) for edge, side in zip(edges, (width, height, width, height))]


def agree(printed, box, width, height):
    """Whether a box as (x0, y0, x1, y1, score, class) is the one that was printed; both as far as they lie in the picture."""
    *edges, score, class_id = box
    edges = [min(max(edge, 0.0), side) for edge, side in zip(edges, (width, height, width, height))]
    is_there = all(abs(a - b) <= 2 * PIXEL for a, b in zip(within(printed, width, height), edges))
    return is_there and printed["class"] == class_id and abs(printed["score"] - score) <= SHARE


def differing(run, client, width, height):
    """Numbers of frames in which a client that prints {"boxes": [...], "findings": {...}} found something else: in its findings, digit
    by digit, or in its boxes, as far as they are printed."""
    def is_equal(wanted, frame):
        return (frame["findings"]["boxes"] == wanted and len(frame["boxes"]) == len(wanted)
                and all(agree(each, box, width, height) for each, box in zip(wanted, frame["boxes"])))

    return [number for number, (wanted, frame) in enumerate(zip(run, client, strict=True)) if not is_equal(wanted, frame)]


def frigate_rows(boxes, width, height):
    """The best 20 of a frame as Frigate wants them, float32: class, score, top, left, bottom, right in shares; zeros behind them."""
    import numpy
    boxes = sorted(boxes, key=lambda box: -box[4])[:ROWS]  # of equal scores in their order
    rows = numpy.zeros((ROWS, 6), numpy.float32)
    for row, (x0, y0, x1, y1, score, class_id) in zip(rows, boxes):
        places = numpy.array([y0, x0, y1, x1], numpy.float32) / numpy.array([height, width, height, width], numpy.float32)
        row[:] = [class_id, min(max(score, 0.0), 1.0), *numpy.clip(places, 0, 1)]
    return rows
