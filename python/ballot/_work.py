# SPDX-License-Identifier: Apache-2.0
"""One call: its arrays, the stream and the device of the first one, and new arrays beside it."""
from . import _native as native
from ._frameworks import Through, framework_of


class Counted:
    """Results of which only the device knows how many there are.

    data     an array with room for all, or a tuple of such arrays
    count    an int64 array of one item on the device: how many of them are there; the items behind them are unspecified
    trim()   the items that are there; waits for the device to read the count
    """

    __slots__ = ("data", "count")

    def __init__(self, data, count):
        self.data, self.count = data, count

    def trim(self):
        n = int(self.count[0])
        return tuple(part[:n] for part in self.data) if isinstance(self.data, tuple) else self.data[:n]

    def __repr__(self):
        return f"Counted(data={self.data!r}, count={self.count!r})"


class Work:
    """`named`: the inputs by the names that errors use. The first decides the framework; the others have to be of it, too."""

    def __init__(self, **named):
        first_name = next(iter(named))
        first = named[first_name]
        framework = framework_of(first, first_name)
        if len(named) > 1:
            for name, x in named.items():
                if type(x) is not type(first) and framework_of(x, name) is not framework:
                    raise TypeError(f"{name} is of another kind than {first_name}: {type(x).__module__} and {type(first).__module__}")
        self._give = None
        if isinstance(framework, Through):
            self._give = framework.give
            named = {name: framework.carry(x) for name, x in named.items()}
            framework = framework.inner
        self.framework = framework
        self.views = [framework.view(x, name) for name, x in named.items()]
        self.first = self.views[0].array
        if len(self.views) > 1:
            device = framework.device(self.first)
            for name, view in zip(named, self.views):
                if framework.device(view.array) != device:
                    raise ValueError(f"{name} is on device {framework.device(view.array)}, {first_name} on {device}")

    def new(self, shape, code):
        """An array of the framework, and as an argument."""
        array = self.framework.empty(shape, code, self.first)
        length = 1
        for extent in shape:
            length *= extent
        return array, native.Array(self.framework.address(array), length, None, code, 0)

    def count(self):
        return self.new((1,), native.I64)

    def run(self, name, scratch_bytes, *arguments):
        """Calls ballot_NAME on the current stream, with so much scratch of the framework."""
        other = self.framework.other_device(self.first)
        if other is not None:
            with other:
                return self._run_here(name, scratch_bytes, arguments)
        return self._run_here(name, scratch_bytes, arguments)

    def _run_here(self, name, scratch_bytes, arguments):
        address = None
        if scratch_bytes:
            scratch = self.framework.empty((scratch_bytes,), native.U8, self.first)
            address = self.framework.address(scratch)
        native.library().call(name, native.Exec(self.framework.stream(self.first), address, scratch_bytes), *arguments)

    def give(self, *arrays):
        """Results as the kind of the inputs."""
        given = arrays if self._give is None else tuple(self._give(a) for a in arrays)
        return given[0] if len(given) == 1 else given

    def counted(self, count, *arrays):
        return Counted(self.give(*arrays), self.give(count))


def one_dimension(view, name):
    if len(view.shape) != 1:
        raise ValueError(f"{name} has {len(view.shape)} dimensions, one is needed")


def same_length(view, name, other, other_name):
    if view.length != other.length:
        raise ValueError(f"{name} has {view.length} items, {other_name} has {other.length}")
