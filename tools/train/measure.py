"""How good the detector is: matching at IoU 0.5 and average precision (area under the precision envelope), as bench/model.cpp does it with
shingle's own executor."""
import numpy as np
import torch

from loss import decoded
from network import STRIDES


def iou(box, boxes):
    low = np.maximum(box[:2], boxes[:, :2])
    high = np.minimum(box[2:], boxes[:, 2:])
    both = np.clip(high - low, 0, None).prod(1)
    return both / np.maximum((box[2:] - box[:2]).prod() + (boxes[:, 2:] - boxes[:, :2]).prod(1) - both, 1e-6)


def detect(detector, pixels, min_score=0.02, max_overlap=0.45):
    """(corner boxes, scores, classes), best first; the picture is padded to a multiple of 32."""
    height, width = pixels.shape[:2]
    padded = np.full((-(-height // 32) * 32, -(-width // 32) * 32, 3), 114, np.uint8)
    padded[:height, :width] = pixels
    with torch.no_grad():
        heads = detector(torch.from_numpy(padded.transpose(2, 0, 1)[None].astype(np.float32) / 255))
    boxes, scores, classes = [], [], []
    for head, stride in zip(heads, STRIDES):
        boxes.append(decoded(head, stride)[0].reshape(-1, 4))
        best, which = head[0, 5:].sigmoid().max(0)
        scores.append((head[0, 4].sigmoid() * best).reshape(-1))
        classes.append(which.reshape(-1))
    boxes, scores, classes = (torch.cat(parts).numpy() for parts in (boxes, scores, classes))
    boxes[:, 0::2] = boxes[:, 0::2].clip(0, width)
    boxes[:, 1::2] = boxes[:, 1::2].clip(0, height)
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= min_score]
    kept = []
    while len(order):
        kept.append(order[0])
        order = order[1:][iou(boxes[order[0]], boxes[order[1:]]) <= max_overlap]
    return boxes[kept], scores[kept], classes[kept]


def corners(boxes):
    return np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], 1)


def matches(found, scores, truth, counts):
    """[(score, hit)] of one picture and the number of vehicles that count; hits on boxes that do not count are left out."""
    truth = corners(truth)
    free = np.ones(len(truth), bool)
    result = []
    for box, score in zip(found, scores):
        overlap = iou(box, truth) if len(truth) else np.zeros(0)
        best = np.where(free & counts, overlap, 0)
        if len(best) and best.max() >= 0.5:
            free[best.argmax()] = False
            result.append((score, 1))
        elif not (len(overlap) and (np.where(counts, 0, overlap) >= 0.5).any()):
            result.append((score, 0))
    return result, int(counts.sum())


def average_precision(results, total):
    results = sorted(results, key=lambda pair: -pair[0])
    hits = np.cumsum([hit for _, hit in results])
    precision = hits / np.arange(1, len(hits) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    recall = np.concatenate([[0], hits / max(1, total)])
    return float((np.diff(recall) * envelope).sum())


def at_score(results, total, score):
    hits = sum(hit for s, hit in results if s >= score)
    shown = sum(1 for s, _ in results if s >= score)
    return hits / max(1, total), hits / max(1, shown)
