"""The loss: which cells should answer for which vehicle, and how wrong the answers are."""
import numpy as np
import torch
from torch.nn import functional

from network import STRIDES

LIMITS = (64.0, 128.0, 1e9)  # the longer side, in pixels, up to which a grid is the one to answer
NEAR = 1.3                   # within this factor of a limit the other grid may answer too, or not


def grid_targets(boxes, counts, level, cells):
    """For one grid of one picture: index of the answering box per cell (-1: none), and where silence is not judged."""
    answer = -np.ones((cells, cells), np.int64)
    free = np.zeros((cells, cells), bool)
    nearest = np.full((cells, cells), 1e9)
    stride, low, high = STRIDES[level], LIMITS[level - 1] if level else 0.0, LIMITS[level]
    middles = np.arange(cells) + 0.5
    for index, (x, y, w, h) in enumerate(boxes):
        side = max(w, h)
        x0, y0, x1, y1 = x / stride, y / stride, (x + w) / stride, (y + h) / stride
        inside = ((middles > y0) & (middles < y1))[:, None] & ((middles > x0) & (middles < x1))[None, :]
        if not counts[index]:
            free |= inside
            continue
        if not low < side <= high:
            if low / NEAR < side <= high * NEAR:
                free |= inside
            continue
        cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
        far_y, far_x = np.abs(middles - cy)[:, None], np.abs(middles - cx)[None, :]
        close = inside & (far_y < 0.95) & (far_x < 0.95)
        close[min(int(cy), cells - 1), min(int(cx), cells - 1)] = True
        distance = far_y ** 2 + far_x ** 2 + np.zeros((cells, cells))
        taken = close & (distance < nearest)
        nearest[taken] = distance[taken]
        answer[taken] = index
    return answer, free & (answer < 0)


def decoded(head, stride):
    """Maps of ROW channels -> corner boxes N x cells x cells x 4 in pixels."""
    cells_y, cells_x = head.shape[2:]
    x = (head[:, 0] + torch.arange(cells_x, device=head.device)[None, None, :]) * stride
    y = (head[:, 1] + torch.arange(cells_y, device=head.device)[None, :, None]) * stride
    w, h = head[:, 2].clamp(-4, 5).exp() * stride, head[:, 3].clamp(-4, 5).exp() * stride
    return torch.stack((x - w / 2, y - h / 2, x + w / 2, y + h / 2), -1)


def overlaps(a, b):
    """(IoU, generalised IoU) of corner boxes, row by row (Rezatofighi et al. 2019)."""
    low, high = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    both = (high - low).clamp(min=0).prod(1)
    union = (a[:, 2:] - a[:, :2]).prod(1) + (b[:, 2:] - b[:, :2]).prod(1) - both
    around = (torch.maximum(a[:, 2:], b[:, 2:]) - torch.minimum(a[:, :2], b[:, :2])).prod(1)
    iou = both / union.clamp(min=1e-6)
    return iou, iou - (around - union) / around.clamp(min=1e-6)


def class_error(logits, iou, classes):
    """Cross entropy of the class scores to the IoU at the box's class and 0 at the others. A box without a class judges only the
    score that is the highest: a photograph says how well a box fits, not what is in it."""
    wanted = torch.zeros_like(logits)
    known = classes >= 0
    column = torch.where(known, classes, logits.detach().argmax(1))
    wanted.scatter_(1, column[:, None], iou[:, None])
    judged = known[:, None] | (torch.arange(logits.shape[1], device=logits.device)[None] == column[:, None])
    error = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
    return (error * judged).sum()


def loss(heads, batch_boxes, batch_counts, batch_classes):
    """Total, and its parts for the log."""
    box_sum = class_sum = objectness_sum = 0.0
    answers = 0
    for level, head in enumerate(heads):
        cells = head.shape[2]
        targets = [grid_targets(b, c, level, cells) for b, c in zip(batch_boxes, batch_counts)]
        answer = torch.from_numpy(np.stack([t[0] for t in targets])).to(head.device)
        judged = torch.from_numpy(~np.stack([t[1] for t in targets])).to(head.device)
        wanted = (answer >= 0).float()
        logit = head[:, 4]
        error = functional.binary_cross_entropy_with_logits(logit, wanted, reduction="none")
        focus = (wanted - logit.detach().sigmoid()).abs() ** 1.5  # easy cells are many and say little
        objectness_sum = objectness_sum + (error * focus * judged).sum()
        n, y, x = torch.nonzero(answer >= 0, as_tuple=True)
        if len(n) == 0:
            continue
        answers += len(n)
        where = [(i, int(answer[i, j, k])) for i, j, k in zip(n.tolist(), y.tolist(), x.tolist())]
        truth = np.stack([batch_boxes[i][k] for i, k in where])
        classes = torch.tensor([batch_classes[i][k] for i, k in where], device=head.device)
        truth = torch.from_numpy(np.concatenate([truth[:, :2], truth[:, :2] + truth[:, 2:]], 1).astype(np.float32)).to(head.device)
        iou, giou = overlaps(decoded(head, STRIDES[level])[n, y, x], truth)
        box_sum = box_sum + (1 - giou).sum()
        class_sum = class_sum + class_error(head[n, 5:, y, x], iou.detach(), classes)
    count = max(1, answers)
    parts = {"box": 2.0 * box_sum / count, "class": 0.5 * class_sum / count, "objectness": 1.5 * objectness_sum / count}
    return sum(parts.values()), {name: float(part) for name, part in parts.items()}
