"""The page: label together in the browser. FastAPI and uvicorn, which ``ofakind[web]`` installs."""
