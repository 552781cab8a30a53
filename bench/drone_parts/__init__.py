"""Parts of `tools/bench drone`: each has run(options, say) and gives a dictionary of its keys."""
