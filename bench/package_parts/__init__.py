"""Parts of `tools/bench package`: each has run(options, say) and gives a dictionary of its keys."""
