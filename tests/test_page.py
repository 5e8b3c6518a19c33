"""The page of the metric's Space, opened in a browser. Needs gradio, playwright and a Chromium; skipped without."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request

import pytest

from snapbench.publishing import metric

pytestmark = [pytest.mark.crosscheck, pytest.mark.slow]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)


@pytest.fixture
def page_url(tmp_path):
    pytest.importorskip("gradio")
    for name, content in metric.module_files("snapbench").items():
        (tmp_path / name).write_bytes(content)
    port = "7873"
    environment = {
        **os.environ,
        "GRADIO_SERVER_PORT": port,
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "SNAPBENCH_AUTOLOAD": "0",
    }
    server = subprocess.Popen([sys.executable, tmp_path / metric.PAGE], env=environment, cwd=tmp_path)
    url = f"http://127.0.0.1:{port}/"
    try:
        for _ in range(240):
            assert server.poll() is None
            try:
                with urllib.request.urlopen(url, timeout=2):
                    break
            except OSError:
                time.sleep(0.5)
        yield url
    finally:
        server.terminate()
        server.wait()


def test_the_page_computes_the_documented_example(page_url):
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium")
    problems = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(page_url)
        page.click("button:has-text('Submit')", timeout=60_000)
        page.wait_for_selector("text=recall_at_1", timeout=120_000)
        result = "".join(page.inner_text("body").split())
        assert '"recall_at_1":50,' in result
        assert '"recall_at_5":100,' in result
        assert '"mrr":75,' in result
        boxes = page.locator(".cm-content")
        boxes.nth(0).fill("[[1]]")
        page.click("button:has-text('Submit')")
        page.wait_for_selector(".toast-body", timeout=60_000)
        assert "predictions" in page.inner_text(".toast-body")
        browser.close()
    assert problems == []
