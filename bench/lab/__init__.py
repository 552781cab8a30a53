"""What bench/cluster.py is made of: models, labs, runs in them, and the figures that come of it."""
