"""What is said about a posterior: how wrong the clusters may be, which are in doubt, what is left to ask."""
