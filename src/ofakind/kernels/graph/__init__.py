"""Graphs as CSR arrays: building them, connected and biconnected parts, colours, triangles."""
