"""SnapBench for Hugging Face: how multimodal retrieval holds up on degraded photos and sloppy questions."""

__version__ = "0.1.0"
