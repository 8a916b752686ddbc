"""What is known of objects before anybody answers: which pairs may be of a kind, and how near they are."""
