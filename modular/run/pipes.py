"""Objects that come and go by pipes between two processes of ours."""

import pickle
from contextlib import suppress
from typing import IO, Any


class Pipes:
    """Two pipes, one to read from and one to write to, by which objects come and go one after the other."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._in = incoming
        self._out = outgoing

    def send(self, obj: Any, /) -> None:
        """Send an object. Raises OSError if nobody is there."""
        pickle.dump(obj, self._out, pickle.HIGHEST_PROTOCOL)
        self._out.flush()

    def recv(self) -> Any:
        """Wait for an object. Raises EOFError or OSError if nobody is there."""
        try:
            return pickle.load(self._in)
        except pickle.UnpicklingError as error:  # it was cut short
            raise EOFError from error

    def fileno(self) -> int:
        """What to wait at until there is an object."""
        return self._in.fileno()

    def finish(self) -> None:
        """Send nothing more; whoever is there may still do so."""
        with suppress(OSError):
            self._out.close()

    def close(self) -> None:
        """Hang up."""
        self.finish()
        self._in.close()
