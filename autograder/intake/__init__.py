"""What students hand in, read without running or trusting any of it; and collecting it from a folder of downloads."""
