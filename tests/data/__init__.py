"""A gold set for extraction: made-up QQ talk, what must be known after it, and what must never be.

``python -m tests.data.make_gold`` writes it. The words stand in the text blocks of this folder, in a small notation \
that
``grammar`` reads: each says beside its words what they plant, so the truth cannot drift from the talk. Modules named
``held_out_*`` serve the reported set only; whoever works on extraction neither reads them nor fits anything to them.
"""
