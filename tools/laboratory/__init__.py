"""What tools/lab is made of; start at tools/lab, then topology.py."""
