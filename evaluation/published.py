"""What the paper's authors published: the few numbers that are known, always shown as theirs.

They measured sixteen models on SnapBench. No value here was measured by this package, and none is a target: they are
for readers who want to see their own run beside the paper's.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER = "SnapBench, arXiv 2608.29607"
ALL_MODELS = "mean of 16 models"


@dataclass(frozen=True)
class PublishedValue:
    """One number of the paper.

    Attributes:
        name: a group of :func:`snapbench.evaluation.compare.condition_groups`, ``drag`` or ``gamma_int``.
        value: R@1 in percent; for ``change``, ``drag`` and ``gamma_int`` points.
        kind: ``recall_at_1``, ``change`` (corrupted - clean), ``drag`` or ``gamma_int``.
        table: where in the paper.
        model: the paper's name of the model, or the mean over its sixteen.
        mode: query -> gallery.
        rule: fusion rule.
    """

    name: str
    value: float
    kind: str
    table: str
    model: str = ALL_MODELS
    mode: str = "it2it"
    rule: str = "fixed"


PUBLISHED: tuple[PublishedValue, ...] = (
    PublishedValue("clean", 63.2, "recall_at_1", "Table 2"),
    PublishedValue("text character", 63.5, "recall_at_1", "Table 2"),
    PublishedValue("text word", 63.7, "recall_at_1", "Table 2"),
    PublishedValue("text sentence", 63.9, "recall_at_1", "Table 2"),
    PublishedValue("image", 57.9, "recall_at_1", "Table 2"),
    PublishedValue("image", -5.3, "change", "Table 2"),
    PublishedValue("image s1", -0.8, "change", "Table 2"),
    PublishedValue("image s2", -3.8, "change", "Table 2"),
    PublishedValue("image s3", -11.2, "change", "Table 2"),
    PublishedValue("degrade s3", -12.5, "change", "Table 2"),
    PublishedValue("transform s3", -5.2, "change", "Table 2"),
    PublishedValue("remove s3", -16.3, "change", "Table 2"),
    PublishedValue("add s3", -10.9, "change", "Table 2"),
    PublishedValue("gamma_int", 7.6, "gamma_int", "Table 3"),
    PublishedValue("drag", -11.21, "drag", "Table 15"),
    PublishedValue("clean", 79.1, "recall_at_1", "Table 2", model="Ops-MM-7B"),
    PublishedValue("clean", 39.8, "recall_at_1", "Table 2", model="SigLIP2-SO400M"),
    PublishedValue("clean", 49.52, "recall_at_1", "Table 15", model="CLIP-ViT-L/14"),
    PublishedValue("clean", 73.45, "recall_at_1", "Table 15", model="CLIP-ViT-L/14", mode="i2i"),
    PublishedValue("drag", -23.93, "drag", "Table 15", model="CLIP-ViT-L/14"),
    PublishedValue("drag", -7.68, "drag", "Table 15", model="GME-7B"),
)
"""Only numbers that a text of the paper states; its full tables are not available, so most cells are missing."""


def published_values(*, model: str = ALL_MODELS, mode: str = "it2it", rule: str = "fixed") -> dict[str, str]:
    """The authors' values of a model by name, as text: R@1 and change together where both are known.

    >>> published_values()["image"]
    '57.9, change -5.3 (Table 2)'
    """
    found: dict[str, list[PublishedValue]] = {}
    for value in PUBLISHED:
        if (value.model, value.mode, value.rule) == (model, mode, rule):
            found.setdefault(value.name, []).append(value)
    return {name: f"{', '.join(map(_text, values))} ({values[0].table})" for name, values in found.items()}


def _text(value: PublishedValue) -> str:
    if value.kind == "recall_at_1":
        return f"{value.value:g}"
    return f"{'change ' if value.kind == 'change' else ''}{value.value:+g}"
