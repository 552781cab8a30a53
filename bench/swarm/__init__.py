"""What bench/chaos.py runs in virtual time: seeds of shingle-simtest, and the bugs planted to test the tests."""
