"""What people read in a browser."""
