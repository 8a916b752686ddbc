"""Studies: experiments that compare methods on datasets, written in TOML. See docs/study.md."""
