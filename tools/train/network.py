"""The network: plain 3x3 convolutions with batch normalisation and ReLU, three grids of cells (strides 8, 16, 32) joined
coarse to fine, and on each grid a row [dx, dy, log w, log h, objectness, a score for each class] per cell, as YOLOX writes them:

    centre = (cell + d) * stride    size = exp(log size) * stride    score = objectness * class score

The score of the box's own class says how well the box fits (the IoU that it expects), those of the others are 0."""
import torch
from torch import nn
from torch.nn import functional

from pictures import CLASSES

STRIDES = (8, 16, 32)
WIDTHS = (16, 32, 64, 96, 96)
HEAD = 64
ROW = 5 + len(CLASSES)


class Unit(nn.Sequential):
    """Convolution, normalisation, ReLU; at export the first two become one."""

    def __init__(self, inputs, outputs, kernel=3, stride=1):
        super().__init__(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs),
                         nn.ReLU(inplace=True))

    def folded(self):
        """(weight, bias) of one convolution that does the same."""
        weight, norm = self[0].weight, self[1]
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        return weight * scale[:, None, None, None], norm.bias - norm.running_mean * scale


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = Unit(width, width), Unit(width, width)

    def forward(self, x):
        return x + self.second(self.first(x))


class Head(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.trunk = Unit(inputs, HEAD)
        self.box = nn.Conv2d(HEAD, 4, 1)
        self.objectness = nn.Conv2d(HEAD, 1, 1)
        self.classes = nn.Conv2d(HEAD, len(CLASSES), 1)
        nn.init.normal_(self.box.weight, std=0.01)
        self.box.bias.data = torch.tensor([0.5, 0.5, 1.1, 1.1])  # a box of three cells in the cell's middle
        nn.init.constant_(self.objectness.bias, -4.0)

    def parts(self, x):
        x = self.trunk(x)
        return self.box(x), self.objectness(x), self.classes(x)

    def forward(self, x):
        return torch.cat(self.parts(x), 1)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        a, b, c, d, e = WIDTHS
        self.to_8 = nn.Sequential(Unit(3, a, stride=2), Unit(a, b, stride=2), Unit(b, b), Unit(b, c, stride=2), Residual(c))
        self.to_16 = nn.Sequential(Unit(c, d, stride=2), Unit(d, d))
        self.to_32 = nn.Sequential(Unit(d, e, stride=2), Unit(e, e))
        self.from_32, self.from_16 = Unit(e, d, 1), Unit(d, c, 1)
        self.heads = nn.ModuleList([Head(c), Head(d), Head(e)])

    def grids(self, pictures):
        """The inputs of the three heads, finest first."""
        p8 = self.to_8(pictures)
        p16 = self.to_16(p8)
        p32 = self.to_32(p16)
        p16 = p16 + functional.interpolate(self.from_32(p32), scale_factor=2, mode="nearest")
        p8 = p8 + functional.interpolate(self.from_16(p16), scale_factor=2, mode="nearest")
        return p8, p16, p32

    def forward(self, pictures):
        """Pictures: N x 3 x H x W, BGR, 0 to 1, H and W multiples of 32. Three maps of ROW channels, finest first; objectness
        and class scores are logits."""
        return [head(grid) for head, grid in zip(self.heads, self.grids(pictures))]


def fuse_units(network):
    """Folds each normalisation into its convolution, in place."""
    for module in list(network.modules()):
        if isinstance(module, Unit):
            weight, bias = module.folded()
            old = module[0]
            new = nn.Conv2d(old.in_channels, old.out_channels, old.kernel_size, old.stride, old.padding)
            new.weight.data, new.bias.data = weight.detach().clone(), bias.detach().clone()
            module[0], module[1] = new, nn.Identity()


def fused(detector):
    """The same network without normalisations, for pictures of 0 to 255."""
    fuse_units(detector)
    detector.to_8[0][0].weight.data /= 255.0
    return detector.eval()


class Exported(nn.Module):
    """What the ONNX file computes: scores as probabilities, the cells of the three grids as one list of rows."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, pictures):
        lists = []
        for head, grid in zip(self.detector.heads, self.detector.grids(pictures)):
            box, objectness, classes = head.parts(grid)
            rows = torch.cat((box, objectness.sigmoid(), classes.sigmoid()), 1)
            lists.append(rows.reshape(1, ROW, int(rows.shape[2]) * int(rows.shape[3])))
        return torch.cat(lists, 2).permute(0, 2, 1)
