"""The arms of the place, from the lines of the scene's site, and the lane of which the time-space diagram is drawn.

    . . . . . . . . . .|           forward of a line ("in") is from left to right of who looks from its begin to its end;
    - -> - - lane - - >| -> ring   vehicles keep to the right, so the lane in is the half on the right of who drives in
"""
import math
import tomllib

from drone_demo import truth

BEHIND = 8.0  # metres of the lane between the line and the ring


class Arm:
    """A line across an arm, in local metres (east, north)."""

    def __init__(self, line, metres):
        self.name = line["name"]
        self.begin, self.end = (metres.of(*point) for point in line["points"])
        across = self.end[0] - self.begin[0], self.end[1] - self.begin[1]
        self.width = math.hypot(*across)
        self.inwards = across[1] / self.width, -across[0] / self.width
        self.middle = (self.begin[0] + self.end[0]) / 2, (self.begin[1] + self.end[1]) / 2

    def seen_from(self, place):
        """(along, right): metres from the line's middle towards the ring, and to the right of who drives in."""
        east, north = place[0] - self.middle[0], place[1] - self.middle[1]
        along, right = self.inwards, (self.inwards[1], -self.inwards[0])
        return east * along[0] + north * along[1], east * right[0] + north * right[1]

    def place(self, along, right):
        return (self.middle[0] + along * self.inwards[0] + right * self.inwards[1],
                self.middle[1] + along * self.inwards[1] - right * self.inwards[0])

    def in_lane(self, places):
        """How far along those places are that lie in the lane in."""
        seen = (self.seen_from(place) for place in places)
        return [along for along, right in seen if along <= BEHIND and 0 <= right <= self.width / 2]


def metres_of(site):
    """Local metres about the middle of the site's lines; None: it has no lines."""
    points = [point for line in tomllib.loads(site.read_text()).get("line", ()) for point in line["points"]]
    if not points:
        return None
    return truth.LocalMetres(sum(point[0] for point in points) / len(points), sum(point[1] for point in points) / len(points))


def arms_of(site, metres):
    return [Arm(line, metres) for line in tomllib.loads(site.read_text()).get("line", ())]


def busiest(arms, tracks):
    """(arm, outer end of its lane in metres along): the lane in which the vehicles drove most metres in all; None: nobody drove in
    one. `tracks`: lists of places."""
    lanes = [(arm, [along for along in map(arm.in_lane, tracks) if along]) for arm in arms]
    arm, driven = max(lanes, key=lambda each: sum(max(along) - min(along) for along in each[1]), default=(None, []))
    return (arm, math.floor(min(map(min, driven)) - 1)) if driven else None


def with_lane(site, arm, outer, metres):
    """The site's text with the lane in of the arm."""
    def degrees(along, right):
        return "[{:.8f}, {:.8f}]".format(*metres.degrees(*arm.place(along, right)))

    half = arm.width / 2
    corners = ", ".join(degrees(*corner) for corner in ((outer, 0), (BEHIND, 0), (BEHIND, half), (outer, half)))
    way = ", ".join(degrees(along, half / 2) for along in (outer, BEHIND))
    return f'{site.read_text()}\n[[lane]]\nname = "{arm.name}-lane"\npoints = [{corners}]\ndirection = [{way}]\n'
