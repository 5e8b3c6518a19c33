"""The page of the metric's Space: two boxes of JSON in, the result out.

Only this file needs gradio; it is no part of the metric. It loads the module beside it through ``evaluate``, so the
page shows what ``evaluate.load`` of the Space computes.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import evaluate

MODULE = str(Path(__file__).with_name("snapbench_metric.py"))

PREDICTIONS = '[["g1", "g2"], ["g3", "g1"]]'
REFERENCES = '[["g2"], ["g3", "g7"]]'
OPTIONS = "{}"
MOST_RESAMPLES = 10_000


def compute(predictions: str, references: str, options: str) -> dict[str, Any]:
    """The metric of two JSON lists of lists of gallery ids, with further arguments as a JSON object."""
    import gradio

    try:
        further = json.loads(options or "{}")
        if not isinstance(further, dict):
            raise ValueError(f"further arguments must be a JSON object, got {further!r}")
        if isinstance(further.get("n_resamples"), int) and further["n_resamples"] > MOST_RESAMPLES:
            raise ValueError(f"n_resamples may be at most {MOST_RESAMPLES:,} on this page")
        arguments = {"predictions": json.loads(predictions), "references": json.loads(references), **further}
        return evaluate.load(MODULE).compute(**arguments)
    except (ValueError, TypeError, KeyError, OverflowError, MemoryError, RecursionError) as error:
        # The page shows errors as HTML, and they quote what was typed.
        raise gradio.Error(html.escape(str(error) or type(error).__name__)) from error


def page() -> Any:
    """The page, to be launched."""
    import gradio

    return gradio.Interface(
        fn=compute,
        inputs=[
            gradio.Code(PREDICTIONS, language="json", label="predictions: ranked gallery ids, a list a query"),
            gradio.Code(REFERENCES, language="json", label="references: positive ids, a list a query"),
            gradio.Code(OPTIONS, language="json", label="further arguments, such as query_ids, conditions, modes, ks"),
        ],
        outputs=gradio.JSON(label="result, in percent and percentage points"),
        title="SnapBench",
        description="How multimodal retrieval holds up on degraded photos and sloppy questions.",
        flagging_mode="never",
        api_name="compute",
    )


if __name__ == "__main__":
    page().launch()
