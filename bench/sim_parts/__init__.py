"""Parts of `tools/bench sim`."""
