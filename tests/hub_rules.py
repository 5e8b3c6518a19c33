"""What the Hub accepts in a card's YAML, as far as it can be checked offline: closed lists and the forms of fields."""

import re

import yaml

LICENSES = frozenset(
    """
    apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0 bigcode-openrail-m
    afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda cc cc0-1.0 cc-by-2.0 cc-by-2.5
    cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0
    cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0 cdla-permissive-1.0
    cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0
    lgpl lgpl-2.1 lgpl-3.0 isc lppl-1.3c ms-pl mpl-2.0 odc-by odbl openrail++ osl-3.0 postgresql ofl-1.1 ncsa unlicense
    zlib pddl lgpl-lr deepfloyd-if-license llama2 llama3 llama3.1 llama3.2 llama3.3 llama4 gemma apple-ascl apple-amlr
    intel-research h-research fair-noncommercial-research-license unknown other
    """.split()  # noqa: SIM905
)

TASKS = frozenset(
    """
    text-classification token-classification table-question-answering question-answering zero-shot-classification
    translation summarization feature-extraction text-generation fill-mask sentence-similarity text-to-speech
    text-to-audio automatic-speech-recognition audio-to-audio audio-classification audio-text-to-text
    voice-activity-detection depth-estimation image-classification object-detection image-segmentation text-to-image
    image-to-text image-to-image image-to-video unconditional-image-generation video-classification
    reinforcement-learning robotics tabular-classification tabular-regression tabular-to-text table-to-text
    multiple-choice text-ranking text-retrieval time-series-forecasting text-to-video image-text-to-text
    visual-question-answering document-question-answering zero-shot-image-classification graph-ml mask-generation
    zero-shot-object-detection text-to-3d image-to-3d image-feature-extraction video-text-to-text keypoint-detection
    visual-document-retrieval any-to-any video-to-video other
    """.split()  # noqa: SIM905
)

SIZES = frozenset(
    ["n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B", "unknown"]
)

SDKS = frozenset(["gradio", "docker", "static", "streamlit"])


def card_errors(content: str, kind: str) -> list[str]:
    """What the Hub would refuse in a README of a ``model``, ``dataset`` or ``space``."""
    match = re.match(r"---\r?\n(.*?)\r?\n---(\r?\n|$)", content, re.DOTALL)
    if match is None:
        return [] if kind != "space" else ["a Space needs metadata"]
    try:
        data = yaml.load(match[1], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        return [f"YAML: {error}"]
    if not isinstance(data, dict):
        return ["metadata must be a mapping"]
    errors = []
    licenses = data.get("license", [])
    for license_id in [licenses] if isinstance(licenses, str) else licenses:
        if license_id not in LICENSES:
            errors.append(f"license {license_id!r}")
        if license_id == "other" and not data.get("license_name"):
            errors.append("license other needs license_name")
    if "license_name" in data and not re.fullmatch(r"[a-z0-9-.]+", data["license_name"]):
        errors.append(f"license_name {data['license_name']!r}")
    errors += [f"task {task!r}" for task in data.get("task_categories", []) if task not in TASKS]
    errors += [f"size {size!r}" for size in data.get("size_categories", []) if size not in SIZES]
    errors += [f"tag {tag!r}" for tag in data.get("tags", []) if not isinstance(tag, str)]
    if kind == "dataset":
        errors += _config_errors(data)
    if kind == "space":
        if data.get("sdk") not in SDKS:
            errors.append(f"sdk {data.get('sdk')!r}")
        if len(data.get("short_description", "")) > 60:
            errors.append("short_description is longer than 60 characters")
    for model in data.get("model-index", []):
        for result in model.get("results", []):
            if not {"type"} <= set(result.get("task", {})) or not {"type", "name"} <= set(result.get("dataset", {})):
                errors.append("model-index result needs task.type, dataset.type and dataset.name")
            errors += ["metric needs type and value" for m in result["metrics"] if not {"type", "value"} <= set(m)]
    return errors


def _config_errors(data: dict) -> list[str]:
    configs = data.get("configs", [])
    names = [config.get("config_name") for config in configs]
    errors = [f"config {name!r} is there twice" for name in set(names) if names.count(name) > 1]
    errors += [f"config name {name!r}" for name in names if not re.fullmatch(r"[^<>:/\\|?*]+", str(name))]
    if configs and sum(bool(config.get("default")) for config in configs) > 1:
        errors.append("more than one default config")
    for config in configs:
        for files in config.get("data_files", []):
            if not {"split", "path"} <= set(files):
                errors.append(f"data_files of {config.get('config_name')!r} need split and path")
    return errors


def eval_result_errors(content: str) -> list[str]:
    """What the Hub would refuse in a file of ``.eval_results/``."""
    entries = yaml.safe_load(content)
    if not isinstance(entries, list):
        return ["must be a list"]
    errors = []
    for entry in entries:
        dataset = entry.get("dataset", {})
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", dataset.get("id", "")) or not dataset.get("task_id"):
            errors.append(f"dataset {dataset!r}")
        if isinstance(entry.get("value"), bool) or not isinstance(entry.get("value"), int | float):
            errors.append(f"value {entry.get('value')!r}")
        if not isinstance(entry.get("date", ""), str):
            errors.append(f"date {entry.get('date')!r} must be a quoted string")
        unknown = set(entry) - {"dataset", "value", "verifyToken", "date", "source", "notes", "evaluation_framework"}
        errors += [f"unknown field {field}" for field in sorted(unknown)]
    return errors
