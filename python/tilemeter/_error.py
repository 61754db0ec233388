"""What goes wrong, as Python says it."""

from __future__ import annotations


class Error(ValueError):
    """Wrong or infeasible input, in the words of the program's message.

    Each attribute is None where the message has nothing for it: ``option`` ("--dtype"), ``value`` (as given),
    ``accepted`` (in words), ``suggestion`` (what a misspelt name may mean), ``file`` and ``key`` (where a file or ``set``
    is wrong). ``choices`` is ``accepted`` as a list, empty where it is none.

    >>> import tilemeter
    >>> try:
    ...     tilemeter.count("flash2", seq=64, dtype="bf61")
    ... except tilemeter.Error as error:
    ...     print(error.option, error.value, error.suggestion)
    --dtype bf61 bf16
    """

    __module__ = "tilemeter"

    def __init__(self, message: str, *, option: str | None = None, value: str | None = None,
                 accepted: str | None = None, choices: list[str] | None = None, suggestion: str | None = None,
                 file: str | None = None, key: str | None = None) -> None:
        super().__init__(message)
        self.option = option
        self.value = value
        self.accepted = accepted
        self.choices = choices or []
        self.suggestion = suggestion
        self.file = file
        self.key = key


class CheckWarning(RuntimeWarning):
    """A check of a result failed: a count differs from its closed form, or numbers are wrong. The result says where."""

    __module__ = "tilemeter"
