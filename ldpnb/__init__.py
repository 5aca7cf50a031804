"""Local differential privacy, checked: the helper package of the book."""
