"""Mean fields: their sweeps, conditional fields sixteen at a time, entropies of pairs."""
