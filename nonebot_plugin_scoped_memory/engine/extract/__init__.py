"""From turns to proposals: rules at once, the model in batches, and the checks that both must pass.

Nothing here reads or writes a store; only ``llm`` calls anything.
"""
