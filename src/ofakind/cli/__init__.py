"""The command line: one module per command. What a command needs is imported when it runs, not before."""
