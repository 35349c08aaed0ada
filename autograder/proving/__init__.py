"""Whether an exercise's checks do what they are for: the bank of wrong and of unusual right
answers, and the proof."""
