"""The same on a GPU, by torch and triton: the only place that imports either."""
