"""Our acquisition: the information of an answer, who is known, hubs, candidates, the batch."""
