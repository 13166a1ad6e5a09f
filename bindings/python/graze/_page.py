"""Recordings of motions and the page of the viewer."""

from __future__ import annotations

import base64
import html
import pathlib
from os import PathLike
from typing import Any, Sequence

import numpy as np

from . import _core
from ._enums import Verdict
from ._results import StepImpact

_VIEWER = pathlib.Path(__file__).with_name("viewer.html")


def has_viewer() -> bool:
    """Returns whether the package was built with the viewer, so that show() and play() work.

    >>> import graze
    >>> graze.has_viewer() in (True, False)
    True
    """
    # The build writes an empty page where the packages of the viewer could not be installed.
    return _VIEWER.exists() and _VIEWER.stat().st_size > 0


class Page:
    """One self-contained HTML page that plays a motion in any browser, and inline in Jupyter.
    `text` is the HTML."""

    def __init__(self, text: str) -> None:
        self.text = text

    def save(self, file: str | PathLike[str]) -> None:
        """Writes the page to a file; an existing file is replaced."""
        pathlib.Path(file).write_text(self.text, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (
            '<iframe style="width:100%;height:480px;border:0" '
            f'srcdoc="{html.escape(self.text)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<graze.Page: {len(self.text)} characters>"


def _contacts(hits: Any, times: Sequence[float]) -> list[Any]:
    """Returns the contacts with their times in the recording."""
    if isinstance(hits, (list, tuple)) and not isinstance(hits, StepImpact):
        if len(hits) != len(times) - 1:
            raise ValueError(f"hits: expected {len(times) - 1}, one per step, got {len(hits)}")
        return [
            (begin + contact[0] * (end - begin), *contact[1:])
            for found, begin, end in zip(hits, times, times[1:])
            for contact in _contacts_of_step(found)
        ]
    return _contacts_of_step(hits)


def _contacts_of_step(hits: Any) -> list[Any]:
    if hits is None:
        return []
    if isinstance(hits, StepImpact):
        if hits.pair is None:
            return []
        return [(hits.toi, hits.point, hits.normal, int(hits.kind), *hits.pair)]
    rows = np.asarray(hits)
    if rows.dtype != _core.step_dtype:
        raise TypeError(
            "hits: expected the result of earliest_impact() or all_impacts(), got dtype "
            f"{rows.dtype}"
        )
    return [
        (r["toi"], (r["px"], r["py"], r["pz"]), (r["nx"], r["ny"], r["nz"]), r["kind"], r["a"],
         r["b"])
        for r in rows.ravel()
        if r["verdict"] == Verdict.contact
    ]  # fmt: skip


def record(
    frames: Sequence[Any],
    faces: Any = None,
    hits: Any = None,
    *,
    edges: Any = None,
    times: Sequence[float] | None = None,
    time_unit: str | None = None,
    title: str = "",
    z_up: bool = False,
) -> bytes:
    """Returns frames of one mesh and the contacts between them as a recording (.glb, glTF).

    frames  positions, each (n, 3)
    times   of the frames, ascending from 0 or more; None: evenly from 0 to 1
    time_unit  shown with the times; None: "s", or "of the step" if times is None
    hits    the result of earliest_impact() or all_impacts(), its times being those of the recording;
            or a list of such results, or None, one for each step from a frame to the next

    >>> import graze, numpy as np
    >>> graze.record([np.eye(3), np.eye(3) + 1], [[0, 1, 2]])[:4]
    b'glTF'
    """
    frames = list(frames)
    if time_unit is None:
        time_unit = "of the step" if times is None else "s"
    if times is None:
        times = [i / max(1, len(frames) - 1) for i in range(len(frames))]
    moments = [float(time) for time in times]
    if len(moments) != len(frames):
        raise ValueError(f"times: expected {len(frames)}, one per frame, got {len(moments)}")
    ascending = all(a < b for a, b in zip(moments, moments[1:]))
    if not ascending or not all(0 <= time < float("inf") for time in moments):
        raise ValueError("times: expected finite ascending times >= 0")
    return _core.record(
        faces, edges, frames, moments, _contacts(hits, moments), str(title), str(time_unit), bool(z_up)
    )


def play(
    frames: Sequence[Any],
    faces: Any = None,
    hits: Any = None,
    *,
    edges: Any = None,
    times: Sequence[float] | None = None,
    time_unit: str | None = None,
    title: str = "",
    z_up: bool = False,
) -> Page:
    """Returns the viewer's page of frames of one mesh; arguments as for record(). Jupyter shows it
    inline; save() writes it. Raises RuntimeError if the package was built without the viewer
    (Node.js and npm).

    >>> import graze, numpy as np, tempfile, os
    >>> frames = [np.eye(3), np.eye(3) + 1, np.eye(3) + 2]
    >>> if graze.has_viewer():
    ...     page = graze.play(frames, [[0, 1, 2]], times=[0, 0.5, 1], title="a triangle")
    ...     page.save(os.path.join(tempfile.mkdtemp(), "triangle.html"))
    """
    if not has_viewer():
        raise RuntimeError(
            "graze: this package was built without the viewer; install Node.js and npm and build "
            "again, or write a recording with record()"
        )
    recording = record(
        frames, faces, hits, edges=edges, times=times, time_unit=time_unit, title=title, z_up=z_up
    )
    page = _VIEWER.read_text(encoding="utf-8")
    page = page.replace("GRAZE_QUERY", "[]", 1)
    return Page(page.replace("GRAZE_RECORDING", base64.b64encode(recording).decode("ascii"), 1))


def show(
    x0: Any,
    x1: Any,
    faces: Any = None,
    hits: Any = None,
    *,
    edges: Any = None,
    title: str = "",
    z_up: bool = False,
) -> Page:
    """Returns the viewer's page of a step with its contacts: play() of two frames.

    >>> import graze, numpy as np
    >>> x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    >>> x1 = x0 - np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2.0]])
    >>> hits = graze.all_impacts([[0, 1, 2]], x0, x1)
    >>> page = graze.show(x0, x1, [[0, 1, 2]], hits) if graze.has_viewer() else None
    """
    return play([x0, x1], faces, hits, edges=edges, title=title, z_up=z_up)
