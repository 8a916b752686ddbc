"""The paper's posterior: the mean field (Alg. 3), its sparse form, conditional fields."""
