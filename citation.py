"""How to cite the benchmark; the metric's folder is self-contained and carries a copy."""

CITATION = """\
@article{chen2026snapbench,
  title   = {SnapBench: Benchmarking Snap-and-Ask Multimodal Retrieval for Mobile Interactions},
  author  = {Chen, Zirong and Ye, Fuda and Zhang, Kuan and Du, Enjun and Pu, Junfu and Wang, Xinlei and Zuo, Xinyu
             and Duan, Lisheng and Ma, Jin and Zhang, Yongqi},
  journal = {Findings of the Association for Computational Linguistics: EMNLP 2026},
  note    = {arXiv:2608.29607},
  year    = {2026}
}
"""
