"""What students hand in, read without running or trusting any of it."""
