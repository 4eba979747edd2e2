"""Memory that tidies itself in the background: what one dream does, and how it is shown, undone and approved."""
