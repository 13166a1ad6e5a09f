"""Hostile arguments: every function raises a clear exception or answers; no function crashes.

GRAZE_TEST_SCALE > 1 invents that many times more arguments, at random (scripts/soak python).
"""

import os

import graze
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SCALE = float(os.environ.get("GRAZE_TEST_SCALE", 1))
EXAMPLES = settings(
    max_examples=int(20 * SCALE), derandomize=SCALE <= 1, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.mark.parametrize(
    "faces, error, words",
    [
        ([[0, 1, 4]], ValueError, "faces: row 0 has the index 4; expected 0 <= index < 4"),
        ([[0, 1, -1]], ValueError, "faces: row 0 has the index -1"),
        (np.array([[0, 1, 2**40]]), ValueError, "index 1099511627776"),
        (np.array([[0, 1, 2**63]], dtype="u8"), ValueError, "index 9223372036854775808"),
        (np.zeros((2, 4), int), ValueError, r"faces: expected shape \(n, 3\), got \(2, 4\)"),
        (np.zeros((1, 3)), TypeError, "faces: expected an array of integers .* got dtype float64"),
        (np.array([["a", "b", "c"]]), TypeError, "faces: .* got dtype <U1"),
        (np.array([[None, 1, 2]]), TypeError, "faces: .* got dtype object"),
        ("abc", TypeError, "faces"),
        (object(), TypeError, "faces"),
    ],
)
def test_faces(step, faces, error, words):
    with pytest.raises(error, match=words):
        graze.earliest_impact(faces, step[1], step[2])


@pytest.mark.parametrize(
    "x0, error, words",
    [
        (np.zeros((4, 2)), ValueError, r"x0: expected shape \(n, 3\), got \(4, 2\)"),
        (np.zeros(12), ValueError, r"x0: expected shape \(n, 3\), got \(12,\)"),
        (np.zeros((4, 3), complex), TypeError, "x0: .* got dtype complex128"),
        (np.zeros((4, 3), bool), TypeError, "x0: .* got dtype bool"),
        (np.zeros((3, 3)), ValueError, r"x1: expected shape \(3, 3\) as x0 has it, got \(4, 3\)"),
        (None, TypeError, "x0"),
    ],
)
def test_positions(step, x0, error, words):
    with pytest.raises(error, match=words):
        graze.earliest_impact(step[0], x0, step[2])


@pytest.mark.parametrize(
    "options, error",
    [
        ({"t_max": 0}, ValueError), ({"t_max": np.nan}, ValueError), ({"t_max": "x"}, TypeError),
        ({"min_separation": -1}, ValueError), ({"min_separation": np.inf}, ValueError),
        ({"norm": "l1"}, ValueError), ({"norm": []}, ValueError), ({"method": "none"}, ValueError),
        ({"method": 3}, TypeError), ({"strategy": "none"}, ValueError),
        ({"at_start": "no"}, ValueError), ({"threads": -1}, ValueError),
        ({"threads": 10**6}, ValueError), ({"threads": 1.5}, TypeError),
        ({"max_contacts": -1}, ValueError), ({"static": [True]}, ValueError),
        ({"static": [0.5] * 4}, TypeError), ({"groups": [0, 0, 0, -1]}, ValueError),
        ({"groups": [0.5] * 4}, TypeError), ({"meets": [[1, 0], [1, 1]]}, ValueError),
        ({"groups": [0, 1, 2, 3], "meets": [[1]]}, ValueError), ({"unknown": 1}, TypeError),
    ],
)  # fmt: skip
def test_options(step, options, error):
    with pytest.raises(error):
        graze.earliest_impact(*step, **options)
    with pytest.raises(error):
        graze.all_impacts(*step, **options)


def test_strict_mode_refuses_conversions(step, query):
    faces, x0, x1 = step
    assert graze.earliest_impact(faces, x0, x1, strict=True).toi == 0.5
    for wrong in (np.asfortranarray(x0), x0[::-1], x0.astype(int), x0.astype(">f8"), x0.tolist()):
        with pytest.raises(TypeError, match="x0: expected .* strict mode"):
            graze.earliest_impact(faces, wrong, x1, strict=True)
        graze.earliest_impact(faces, wrong, x1)
    with pytest.raises(TypeError, match="faces: expected .* strict mode"):
        graze.earliest_impact(faces.astype("i2"), x0, x1, strict=True)
    with pytest.raises(TypeError, match="query: expected .* strict mode"):
        graze.first_contact(query.astype("f4"), strict=True)


def test_not_finite_is_a_verdict(step, query):
    faces, x0, x1 = step
    x0[0, 0] = np.nan
    assert graze.earliest_impact(faces, x0, x1).verdict is graze.Verdict.invalid
    hits = graze.all_impacts(faces, x0, x1)
    assert hits.verdict is graze.Verdict.invalid and len(hits) == 0
    assert graze.collision_free_stepsize(faces, x0, x1) == 0
    query[1, 1] = np.inf
    assert graze.first_contact(query).verdict is graze.Verdict.invalid
    assert graze.contact_times(query).verdict is graze.Verdict.invalid
    assert graze.certificate(query).verdict is graze.Verdict.invalid
    assert np.isnan(graze.closest_points(query, 0.5).distance)


def test_strange_strides(step):
    faces, x0, x1 = step
    expected = graze.earliest_impact(faces, x0, x1).toi
    wide = np.zeros((4, 6))
    wide[:, ::2] = x0
    bytes_ = np.zeros(4 * 24 + 1, "u1")
    unaligned = bytes_[1:].view("f8").reshape(4, 3)
    unaligned[...] = x0
    read_only = x0.copy()
    read_only.flags.writeable = False
    for same in (wide[:, ::2], x0[::-1].copy()[::-1], np.asfortranarray(x0), unaligned, read_only):
        assert graze.earliest_impact(faces, same, x1).toi == expected
    frozen = np.broadcast_to(np.zeros(3), (4, 3))
    assert graze.earliest_impact(faces, frozen, frozen).toi == 0


def test_empty():
    none = np.zeros((0, 3))
    assert graze.earliest_impact([], none, none).verdict is graze.Verdict.separated
    assert len(graze.first_contact(np.zeros((0, 8, 3)))) == 0
    assert graze.contact_times(np.zeros((0, 8, 3))) == []
    assert [len(pairs) for pairs in graze.find_pairs(None, none, none)] == [0, 0, 0, 0]


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
    st.sampled_from([b"x", {}, [], [[]], [[1], [1, 2]], object(), 1j]),
)  # fmt: skip
dtypes = st.sampled_from(
    ["f8", "f4", "f2", ">f8", "i4", "u4", "i8", "u8", "i1", "u2", "?", "c16", "U1", "O", "M8[s]"]
)
shapes = st.one_of(
    st.sampled_from([(4, 3), (8, 3), (2, 8, 3), (1, 3), (0, 3), (3,), (6, 3), (4, 4), (3, 3)]),
    st.lists(st.integers(0, 4), max_size=4).map(tuple),
)


@st.composite
def arrays(draw):
    shape, dtype = draw(shapes), draw(dtypes)
    fill = draw(st.sampled_from([0, 1, 2, 3, 100]))
    array = np.full(shape, fill).astype(dtype)
    if array.dtype.kind in "fiu" and array.size and draw(st.booleans()):
        values = draw(st.lists(st.integers(0, 3), min_size=array.size, max_size=array.size))
        array = np.array(values).reshape(shape).astype(dtype)
    if array.dtype.kind == "f" and array.size and draw(st.booleans()):
        array.flat[draw(st.integers(0, array.size - 1))] = draw(
            st.sampled_from([np.nan, np.inf, -np.inf, 1e308, 5e-324, -0.0])
        )
    change = draw(st.sampled_from(["none", "reverse", "transpose", "broadcast", "read-only"]))
    if change == "reverse" and array.ndim:
        array = array[::-1]
    elif change == "transpose":
        array = array.T
    elif change == "broadcast":
        array = np.broadcast_to(array, (2, *array.shape))
    elif change == "read-only":
        array.flags.writeable = False
    return array


values = st.one_of(arrays(), scalars)


SOLID = graze.polyhedron.Model.box((0, 0, 0), (1, 1, 1))
CANDIDATES = graze.find_candidates([[0, 1, 2]], np.eye(4)[:, :3], np.ones((4, 3)), 0.1)


def calls():
    """Every public function, by the number of arguments to invent."""
    rigid = graze.rigid
    return {
        "earliest_impact": (graze.earliest_impact, 3), "all_impacts": (graze.all_impacts, 3),
        "collision_free_stepsize": (graze.collision_free_stepsize, 3),
        "find_pairs": (graze.find_pairs, 3), "first_contact": (graze.first_contact, 1),
        "first_contact, kind": (graze.first_contact, 2), "contact_times": (graze.contact_times, 1),
        "closest_points": (graze.closest_points, 2), "certificate": (graze.certificate, 1),
        "check_mesh": (graze.check_mesh, 2), "find_intersections": (graze.find_intersections, 2),
        "two meshes": (graze.find_intersections, 4), "verify": (graze.verify, 2), "Mesh": (graze.Mesh, 3), "StepSearch": (graze.StepSearch, 2),
        "record": (graze.record, 3), "Body": (rigid.Body, 2), "Pose": (rigid.Pose, 2),
        "translation": (rigid.translation, 1), "rotation_about": (rigid.rotation_about, 2),
        "linear_motion": (rigid.linear_motion, 2), "resting": (rigid.resting, 1),
        "advance": (rigid.advance, 4), "distance": (rigid.distance, 4),
        "check_path": (rigid.check_path, 3), "Certificate": (graze.Certificate, 2),
        "Model": (graze.polyhedron.Model, 2), "box": (graze.polyhedron.Model.box, 2),
        "hull": (graze.polyhedron.Model.hull, 1), "move": (graze.polyhedron.move, 4),
        "way": (lambda way: graze.polyhedron.move([], SOLID, np.eye(4), way), 1),
        "turn": (lambda *a: graze.polyhedron.turn([], SOLID, np.eye(4), *a), 3),
        "slide": (lambda way: graze.polyhedron.slide([], SOLID, np.eye(4), way), 1),
        "scene": (graze.sim.scene, 1), "pile": (graze.sim.pile, 2),
        "squash": (graze.sim.squash, 2),
        "step": (lambda s: graze.sim.scene("ragdoll").step(s), 1),
        "edges": (lambda e, x0, x1: graze.earliest_impact(None, x0, x1, edges=e), 3),
        "groups": (lambda g, x: graze.earliest_impact([[0, 1, 2]], x, x, groups=g), 2),
        "meets": (lambda m, x: graze.earliest_impact([[0, 1, 2]], x, x, meets=m), 2),
        "static": (lambda s, x: graze.earliest_impact([[0, 1, 2]], x, x, static=s), 2),
        "masks": (lambda m, x: graze.earliest_impact([[0, 1, 2]], x, x, masks=m), 2),
        "group_pairs": (lambda g, x: graze.earliest_impact([[0, 1, 2]], x, x, group_pairs=g), 2),
        "find_candidates": (lambda f, x0, x1, m: graze.find_candidates(f, x0, x1, m), 4),
        "step_bounds": (lambda x: CANDIDATES.step_bounds(x), 1),
        "candidates": (lambda x0, x1: CANDIDATES.all_impacts(x0, x1), 2),
        "search": (lambda x0, x1: graze.StepSearch([[0, 1, 2]], 4).earliest_impact(x0, x1), 2),
        "hits": (lambda hits: graze.record([np.eye(3)] * 3, [[0, 1, 2]], hits), 1),
        "screw_motion": (rigid.screw_motion, 2),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", calls())
def test_hostile_arguments_raise_or_answer(name):
    function, count = calls()[name]

    @EXAMPLES
    @given(st.lists(values, min_size=count, max_size=count), st.booleans())
    def attempt(arguments, same):
        if same:  # often shapes must agree
            arguments[2:] = arguments[1:2] * len(arguments[2:])
        try:
            function(*arguments)
        except (TypeError, ValueError, OverflowError, RuntimeError, graze.FileError) as error:
            assert str(error)

    attempt()
