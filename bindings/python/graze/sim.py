"""Simulations whose bodies never intersect, as iterators over frames.

Times are in seconds; the built-in scenes are in metres and kilograms. z is up.

>>> import graze
>>> run = graze.sim.scene("hoop")
>>> frames = [positions for time, positions in run.frames(0.05)]
>>> len(frames), frames[0].shape == (run.mesh.vertex_count, 3)
(4, True)
"""

from __future__ import annotations

from typing import Any, Iterator

from . import _core
from ._core import Mesh
from ._results import Array

__all__ = ["Simulation", "pile", "scene", "scenes", "squash"]


class Simulation:
    """A run of a simulator. All bodies together are one mesh. Made by scene() and pile().

    One thread at a time may use an object; a second one gets RuntimeError. Ctrl-C ends a step
    before it is done; the run then keeps the state before it.
    """

    def __init__(self, run: _core.Simulation) -> None:
        self._run = run
        self._mesh = run.mesh

    @property
    def mesh(self) -> Mesh:
        """The mesh of all bodies; it is the same in every frame."""
        return self._mesh

    @property
    def positions(self) -> Array:
        """The positions of the vertices of the mesh now, (n, 3), a new array."""
        return self._run.positions

    @property
    def time(self) -> float:
        """The simulated time in seconds."""
        return self._run.time

    def step(self, seconds: float | None = None, *, threads: int = 0) -> Array:
        """Advances the run by one step of `seconds`, in (0, 1]; None: the step of the scene, mostly
        1/60. Returns the new positions."""
        self._run.step(self._run.usual_step if seconds is None else float(seconds), threads)
        return self._run.positions

    def frames(
        self, seconds: float, *, step: float | None = None, threads: int = 0
    ) -> Iterator[tuple[float, Array]]:
        """Yields (time, positions): the current frame, then one after each step, until `seconds`
        have passed."""
        end = self.time + float(seconds)
        yield self.time, self.positions
        while self.time < end - 1e-9:
            self.step(step, threads=threads)
            yield self.time, self.positions

    def __repr__(self) -> str:
        return f"<graze.sim.Simulation: {self.mesh!r}, {self.time:.4g} s>"


def scenes() -> dict[str, str]:
    """Returns the names and descriptions of the built-in scenes.

    >>> import graze
    >>> "hoop" in graze.sim.scenes()
    True
    """
    return _core.scenes()


def scene(name: str, *, count: int = 0) -> Simulation:
    """Returns a built-in scene at time 0. `count` is about the number of edges, vertices, bodies or
    figures (walker: the seed); 0: that of the scene.

    >>> import graze
    >>> run = graze.sim.scene("ragdoll")
    >>> start = run.positions
    >>> run.step(1 / 60).shape == start.shape, run.time
    (True, 0.016666666666666666)
    """
    if not isinstance(name, str):
        raise TypeError(f"name: expected a name of scenes(), got {name!r}")
    return Simulation(_core.scene(name, count))


def squash(vertices: Any, faces: Any, *, count: int = 300) -> Simulation:
    """Returns a closed surface, scaled to a height of 0.5 m, that falls onto a plane and is squashed
    there: a soft body of about `count` vertices. Raises ValueError if the surface is open or touches
    itself.

    >>> import graze, numpy as np
    >>> vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    >>> run = graze.sim.squash(vertices, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], count=50)
    >>> run.time
    0.0
    """
    return Simulation(_core.squash(vertices, faces, count))


def pile(vertices: Any, faces: Any, *, count: int = 10, seed: int = 1) -> Simulation:
    """Returns `count` bodies of one triangle mesh that fall onto a floor, one above the other, each
    turned by a random rotation. Raises ValueError if the mesh has no volume.

    >>> import graze, numpy as np
    >>> vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    >>> run = graze.sim.pile(vertices, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], count=3)
    >>> heights = [positions[:, 2].max() for time, positions in run.frames(0.1)]
    >>> heights[-1] < heights[0]
    True
    """
    return Simulation(_core.pile(vertices, faces, count, seed))
