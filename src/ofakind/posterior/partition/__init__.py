"""Our posterior: samples of partitions, drawn by chains that are carried from round to round."""
