"""Average precision on photographs that were not trained on, through slices at a scale that the program finds."""
from drone_parts import data


def run(_, say):
    data.shared("aerial-cars")
    table, figures = data.told_by("bench-drone-stills")
    for line in table:
        say(line)
    return figures
