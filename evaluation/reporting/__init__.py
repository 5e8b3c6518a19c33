"""The report's parts: evidence (what is shown), charts and page (HTML), plain (Markdown and CSV)."""
