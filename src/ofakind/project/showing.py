"""A project shows its page: the room that serves it stands above this one, loaded when it is wanted."""

from typing import Any, Protocol

from ofakind.registry import page_of_a_project


class ShownPage(Protocol):
    """A page that is served beside; a notebook shows it where it is the value of a cell."""

    @property
    def link(self) -> str:
        """The link, with its token: whoever has it answers under this name."""
        ...

    @property
    def running(self) -> bool:
        """Whether it is served."""
        ...

    def close(self) -> None:
        """Stop it. Twice does no harm."""
        ...

    def wait(self) -> None:
        """Wait until somebody stops it, or presses Ctrl-C."""
        ...


class Showing:
    """The page of a project, at most one at a time."""

    def __init__(self) -> None:
        self._page: ShownPage | None = None
        self._wish: tuple[Any, ...] = ()

    def show(self, project: Any, annotator: str, origin: str | None, *, browser: bool | None) -> ShownPage:
        """Return the page; the one that runs, if it is for the same person and place."""
        wish = (annotator, origin)
        if self._page is None or not self._page.running or wish != self._wish:
            start = page_of_a_project()
            self.close()
            self._page, self._wish = start(project, annotator, origin, browser=browser), wish
        return self._page

    def close(self) -> None:
        """Stop the page, if there is one."""
        if self._page is not None:
            self._page.close()
            self._page = None
