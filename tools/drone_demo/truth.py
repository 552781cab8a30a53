"""What was found, held against what the scene wrote beside its video."""
import csv
import json
import math
import statistics
import sys

from drone_demo import flight

sys.path.insert(0, str(flight.ROOT / "bench"))
from drone_parts import matched  # noqa: E402

KMH = 3.6
LEAST_SECONDS = 1.0  # a vehicle whose speed is known for less time is not compared


def track_scores(video, tracks, frames):
    """CLEAR, identity and HOTA by `shingle-drone eval`."""
    told = flight.call(flight.DRONE, "eval", video.with_suffix(".gt.txt"), tracks, "--frames", frames, "--ignore",
                       video.with_suffix(".ignore.txt"), "--json")
    return json.loads(told)["combined"]


class Speeds:
    """Pairs of a true and a found speed in km/h, of sightings whose true speed is above 10 km/h."""

    def __init__(self, run_folder, video, fps):
        self.vehicles = {}
        for pair in matched.speed_pairs(run_folder, video):
            self.vehicles.setdefault(pair.vehicle, []).append(pair)
        least = LEAST_SECONDS * fps
        self.vehicles = {vehicle: pairs for vehicle, pairs in self.vehicles.items() if len(pairs) >= least}

    def sightings(self):
        return [pair for pairs in self.vehicles.values() for pair in pairs]

    def median_error(self):
        """Of all vehicles, each with the median of its relative errors; None: there are no vehicles."""
        errors = [statistics.median(abs(pair.found - pair.true) / pair.true for pair in pairs) for pairs in self.vehicles.values()]
        return statistics.median(errors) if errors else None

    def median_error_kmh(self):
        errors = [statistics.median(KMH * abs(pair.found - pair.true) for pair in pairs) for pairs in self.vehicles.values()]
        return statistics.median(errors) if errors else None

    def share_inside(self):
        """Of all sightings, how many have the true speed inside their 95 % interval."""
        known = [abs(pair.found - pair.true) <= pair.half_width for pair in self.sightings() if pair.half_width is not None]
        return sum(known) / len(known) if known else None


def counted(run_folder, site, video):
    """[(line, direction, true, found)], in the order of the site."""
    wanted = json.loads(video.with_suffix(".counts.json").read_text())
    if not wanted["lines"]:
        return []
    told = json.loads(flight.call(flight.DRONE, "count", run_folder, "--site", site, "--json"))
    found = {line["name"]: line["directions"] for line in told["lines"]}
    return [(line["name"], way, line[way]["all"], found[line["name"]][way]["vehicles"]) for line in wanted["lines"] for way in ("in", "out")]


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class LocalMetres:
    """East and north of a place in metres; exact to millimetres within a kilometre. WGS84's radii of curvature at its latitude."""

    def __init__(self, latitude, longitude):
        self.latitude, self.longitude = latitude, longitude
        axis, eccentricity2 = 6378137.0, 6.69437999014e-3
        bend = 1 - eccentricity2 * math.sin(math.radians(latitude)) ** 2
        self.north = math.radians(1) * axis * (1 - eccentricity2) / bend ** 1.5
        self.east = math.radians(1) * axis * math.cos(math.radians(latitude)) / math.sqrt(bend)

    def of(self, latitude, longitude):
        return (longitude - self.longitude) * self.east, (latitude - self.latitude) * self.north

    def degrees(self, east, north):
        """(latitude, longitude)"""
        return self.latitude + north / self.north, self.longitude + east / self.east
