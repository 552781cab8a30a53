"""The road network: a U-Net (Ronneberger, Fischer, Brox 2015) of the detector's units. Each step down halves the map; each step
up doubles it and adds the map of its size from the way down. Two channels out, at the input's size: not road, road."""
import torch
from torch import nn
from torch.nn import functional

from network import Unit, fuse_units

WIDTHS = (12, 24, 48, 72, 96)  # at 1/2, 1/4, 1/8, 1/16, 1/32 of the input's size
CLASSES = ("other", "road")


class Roads(nn.Module):
    def __init__(self):
        super().__init__()
        inputs = (3, *WIDTHS[:-1])
        self.down = nn.ModuleList(nn.Sequential(Unit(a, b, stride=2), Unit(b, b)) for a, b in zip(inputs, WIDTHS))
        self.narrow = nn.ModuleList(Unit(wide, slim, 1) for slim, wide in zip(WIDTHS, WIDTHS[1:]))
        self.up = nn.ModuleList(Unit(width, width) for width in WIDTHS[:-1])
        self.out = nn.Conv2d(WIDTHS[0], len(CLASSES), 1)

    def forward(self, pictures):
        """Pictures: N x 3 x H x W, BGR, 0 to 1, H and W multiples of 32. N x 2 x H x W logits."""
        maps, x = [], pictures
        for step in self.down:
            x = step(x)
            maps.append(x)
        for level in reversed(range(len(self.up))):
            x = functional.interpolate(self.narrow[level](x), scale_factor=2, mode="nearest")
            x = self.up[level](x + maps[level])
        return functional.interpolate(self.out(x), scale_factor=2, mode="bilinear", align_corners=False)


# ImageNet's mean and deviation of the channels R, G, B (0 to 255). The head `segmentation` prepares pictures with them by default.
MEAN, DEVIATION = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)


def fused(roads):
    """The same network without normalisations, for pictures that are prepared as for ImageNet. Outside of the picture it sees
    ImageNet's mean colour; it was trained with black there."""
    fuse_units(roads)
    first = roads.down[0][0][0]
    weight = first.weight.data.flip(1) / 255.0  # of R, G, B
    mean, deviation = (torch.tensor(each).view(1, 3, 1, 1) for each in (MEAN, DEVIATION))
    first.bias.data += (weight * mean).sum((1, 2, 3))
    first.weight.data = weight * deviation
    return roads.eval()
