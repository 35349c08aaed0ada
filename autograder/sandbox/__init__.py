"""How student code is locked in, and the proof at each start that it is."""
