"""Prints each figure as a line, and all of them as one JSON object at the end."""
import json
import sys


def said(planned, ran):
    return f"{ran.latency_s():.3f} s, plan {planned.hash[:12]} said {planned.latency_s:.3f} s"


class Figures:
    def __init__(self):
        self.values, self.limits = {}, {}
        self.latency_errors, self.throughput_errors = [], []
        self.overruns = []  # by run: (share of its paced tiles, name)
        self.missed = []

    def put(self, key, value, aim=None, bound=None, note=""):
        """`aim` is ("least" or "most", value); `bound`: no plan can be better."""
        self.values[key] = value
        if bound is not None:
            self.limits[key] = bound
        good = aim is None or (value >= aim[1] if aim[0] == "least" else value <= aim[1])
        if not good:
            self.missed.append(key)
        text = f"{value:.4g}" if isinstance(value, float) else f"{value}"
        aimed = f"{'>=' if aim[0] == 'least' else '<='} {aim[1]:g}{'' if good else '  MISSED'}" if aim else ""
        limit = f"limit {bound:.3g}" if bound is not None else ""
        print(f"{key:24} {text:>12}  {aimed:20} {limit:14} {note}", flush=True)

    def predicted_latency(self, predicted_s, measured_s):
        self.latency_errors.append(abs(predicted_s / measured_s - 1.0))

    def predicted_period(self, predicted_s, measured_s):
        self.throughput_errors.append(abs(predicted_s / measured_s - 1.0))

    def count(self, ran, name=""):
        """Records the overruns of a run: on a machine that was too busy to pace its boards it measures nothing."""
        if ran.paced_tiles:
            self.overruns.append((ran.overruns / ran.paced_tiles, name))

    def conclude(self, as_json, where):
        for what, errors, limit in (("latency", self.latency_errors, 0.10), ("throughput", self.throughput_errors, 0.10)):
            if errors:
                self.put(f"predicted_{what}_error", max(errors), ("most", limit), note=f"the worst of {len(errors)}")
        if self.overruns:
            share, name = max(self.overruns)
            named = f" ({name})" if name else ""
            self.put("overruns", share, ("most", 0.01), note=f"of a run's paced tiles, the worst of {len(self.overruns)} runs{named}")
        if self.missed:
            print(f"missed: {', '.join(self.missed)}", file=sys.stderr)
        if as_json:
            print(json.dumps({**where, **self.values, **({"limits": self.limits} if self.limits else {})}))
        return 1 if self.missed else 0
