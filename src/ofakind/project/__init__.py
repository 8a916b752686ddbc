"""The durable side: a project is one file that holds every answer; all else is rebuilt from it."""
