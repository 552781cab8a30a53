"""A training run that may be cut into pieces. All that a step depends on is in one file: weights, their running average,
optimiser, schedule and dice. So pieces give the bits of one run, on one kind of processor.

    run = Run("vehicles.state.pt", model, options)
    run.train(batch, loss)        # batch(dice) -> what loss(model, batch) takes; loss -> (total, its parts)"""
import argparse
import copy
import os
import pathlib
import signal
import sys
import time

import numpy as np
import torch

WEIGHT_DECAY, LONGEST_GRADIENT, WARM_UP = 0.02, 5.0, 0.1
REPORT_EVERY, SAVE_EVERY = 50, 250


def describe(parser, steps, peak_rate):
    """The options that all runs have."""
    parser.add_argument("--steps", type=int, default=steps, help=f"of the whole run, over all of its pieces (default: {steps})")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many minutes; the same command goes on (default: none)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peak-rate", type=float, default=peak_rate)
    parser.add_argument("--device", default="cpu", help="cpu or cuda; a run stays on the one that it began on")


class Run:
    """`options`: an argparse.Namespace; `model`: with its first weights, as torch.manual_seed(options.seed) draws them. A run goes on only with the options that it began with, but for PIECES."""

    PIECES = ("minutes", "state", "second")

    def __init__(self, state_path, model, options):
        self.path, self.options = pathlib.Path(state_path), options
        torch.set_num_threads(options.threads)
        torch.use_deterministic_algorithms(options.device == "cpu")
        self.model = model.to(options.device)
        self.average = copy.deepcopy(self.model)
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=options.peak_rate, weight_decay=WEIGHT_DECAY)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimiser, options.peak_rate, options.steps, pct_start=WARM_UP)
        self.dice = np.random.Generator(np.random.PCG64(options.seed))
        self.step, self.seconds, self.asked_to_stop = 0, 0.0, False
        if self.path.exists():
            self.go_on()

    def settings(self):
        return {key: value for key, value in vars(self.options).items() if key not in self.PIECES}

    def save(self):
        """Replaces the file in one step, so that a run that is killed meanwhile keeps the old one."""
        begun = self.path.with_name(self.path.name + ".part")
        torch.save({"settings": self.settings(), "step": self.step, "seconds": self.seconds, "model": self.model.state_dict(),
                    "average": self.average.state_dict(), "optimiser": self.optimiser.state_dict(), "schedule": self.schedule.state_dict(),
                    "dice": self.dice.bit_generator.state, "torch": torch.get_rng_state()}, begun)
        os.replace(begun, self.path)

    def go_on(self):
        kept = torch.load(self.path, map_location="cpu")
        for key, value in self.settings().items():
            if kept["settings"].get(key) != value:
                sys.exit(f"{self.path} was begun with --{key.replace('_', '-')} {kept['settings'].get(key)}, not {value}; "
                         "give the same options, or another output")
        self.step, self.seconds = kept["step"], kept["seconds"]
        self.model.load_state_dict(kept["model"])
        self.average.load_state_dict(kept["average"])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.schedule.load_state_dict(kept["schedule"])
        self.dice.bit_generator.state = kept["dice"]
        torch.set_rng_state(kept["torch"])
        print(f"goes on after step {self.step} of {self.options.steps}, {self.seconds / 60:.0f} minutes", flush=True)

    def train(self, batch, loss):
        """True once all steps are done. SIGTERM, Ctrl-C and --minutes end a piece after the step in hand."""
        handlers = {number: signal.signal(number, self.stop) for number in (signal.SIGINT, signal.SIGTERM)}
        began, before, parts = time.time(), self.seconds, None
        while self.step < self.options.steps and not self.asked_to_stop:
            self.step += 1
            self.optimiser.zero_grad()
            total, now = loss(self.model, batch(self.dice))
            total.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), LONGEST_GRADIENT)
            self.optimiser.step()
            self.schedule.step()
            follow(self.average, self.model, self.step)
            parts = {name: (parts or {}).get(name, 0.0) + value for name, value in now.items()}
            self.seconds = before + time.time() - began
            if self.step % REPORT_EVERY == 0:
                self.report(parts, before, began)
                parts = None
            if self.step % SAVE_EVERY == 0:
                self.save()
            if 0 < self.options.minutes * 60 <= time.time() - began:
                break
        self.save()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        return self.step == self.options.steps

    def stop(self, *_):
        self.asked_to_stop = True

    def report(self, parts, before, began):
        values = "  ".join(f"{name} {value / REPORT_EVERY:.3f}" for name, value in parts.items())
        each = self.seconds / self.step
        print(f"step {self.step} of {self.options.steps}  {values}  {each:.3f} s a step, "
              f"{each * (self.options.steps - self.step) / 60:.0f} minutes to go", flush=True)


def follow(average, model, step):
    """The average of the last few hundred steps' weights does better than any of them."""
    decay = min(0.998, step / (step + 20.0))
    with torch.no_grad():
        for old, new in zip(average.state_dict().values(), model.state_dict().values()):
            if old.dtype.is_floating_point:
                old.mul_(decay).add_(new, alpha=1 - decay)
            else:
                old.copy_(new)


def trained(state_path, model):
    """`model` with the averaged weights of a run, for evaluation and export."""
    model.load_state_dict(torch.load(state_path, map_location="cpu")["average"])
    return model.eval()


def parser(text):
    return argparse.ArgumentParser(description=text.splitlines()[0], epilog="\n".join(text.splitlines()[1:]),
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
