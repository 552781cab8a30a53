"""A camera twice as fast as the cluster: how much later results come than where there is time, and what that costs the tracks.

The cluster's rate is that of a run without a pace of the same clip, because the slices of a picture depend on the clip's times. The same run has the
tracks that a cluster with time would find: they do not depend on how fast it is. The latency where there is time is that of a clip at half of the
cluster's rate, in which every place is looked at once in as many pictures."""
from drone_parts import scenes
from lab import site

NAME, SECONDS = "highway-100-720p", 40
FIRST_FPS, ROUNDS = 16, 6  # rates that are tried until one is twice that of the cluster: more pictures a second have fewer slices each
DOUBLE = (1.8, 2.3)  # times as fast as the cluster; more than twice is harder
CALM_FRAMES = 100


def is_double(fps, rate):
    return DOUBLE[0] <= fps / rate <= DOUBLE[1]


def idf1_of(run, clip, frames):
    return scenes.scored_by_truth(clip, scenes.tracks_of(run), frames)["IDF1"]


def overload(clip_of, say):
    """A clip with pictures at twice the rate at which the cluster computes them; its pictures a second, that rate, the IDF1 without a pace."""
    fps = FIRST_FPS
    for _ in range(ROUNDS):
        clip = clip_of(SECONDS * fps, fps)
        run, told = scenes.followed(clip, "run")
        rate = told[-1]["fps"]
        say(f"  of {fps} pictures a second two workers compute {rate:.2f}")
        if is_double(fps, rate):
            return clip, fps, rate, idf1_of(run, clip, SECONDS * fps)
        fps = max(1, round(2.0 * rate))
    raise site.BenchError("no clip is twice as fast as the cluster: its rate changes from run to run, as other work is done beside it")


def check_rate(clip, fps):
    """The cluster is still as fast as it was: other work beside it would have left out more."""
    _, told = scenes.followed(clip, "run")
    rate = told[-1]["fps"]
    if not is_double(fps, rate):
        raise site.BenchError(f"afterwards two workers compute {rate:.2f} pictures a second: other work was done beside them")


def run(options, say):
    sources, seed = scenes.sources_hash(), scenes.UNSEEN_SEEDS + options.seed
    clip, fps, rate, idf1 = overload(lambda frames, fps: scenes.rendered(NAME, seed, sources, frames, fps), say)
    run_folder, told = scenes.followed(clip, "run", "--paced", "--shed")
    loaded, loaded_idf1 = told[-1], idf1_of(run_folder, clip, SECONDS * fps)
    calm_fps = max(1, round(rate)) / 2
    calm_clip = scenes.rendered(NAME, seed, sources, CALM_FRAMES, calm_fps)
    calm = scenes.followed(calm_clip, "run", "--paced", "--full-every", fps / calm_fps)[1][-1]
    check_rate(clip, fps)
    for name, each, speed in (("calm", calm, calm_fps), ("loaded", loaded, fps)):
        say(f"  {name:6} {speed:g} pictures a second: latency {each['latency_ms']['median']:.0f} ms, p95 {each['latency_ms']['p95']:.0f} ms, "
            f"{each['slices']['computed'] / each['frames']:.1f} slices of each picture")
    say("  left out: " + ", ".join(f"{key} {value}" for key, value in loaded["shed"].items()))
    say(f"  IDF1 {idf1:.3f} without a pace, {loaded_idf1:.3f} loaded")
    return {"shed_latency": loaded["latency_ms"]["p95"] / calm["latency_ms"]["p95"], "shed_idf1_loss": idf1 - loaded_idf1}
