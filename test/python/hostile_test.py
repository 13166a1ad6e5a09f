"""Hostile arguments: every function raises a clear exception or answers; no function crashes.

GRAZE_TEST_SCALE > 1 invents that many times more arguments, at random (scripts/soak python).
"""

import enum
import functools
import inspect
import itertools
import os
import tempfile

import graze
import graze.mpi
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


def test_what_was_prepared_needs_no_input():
    """Meshes, searches, candidates, bodies and models own copies of their input."""
    faces = np.array([[0, 1, 2]], np.uint32)
    x0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
    x1 = x0 - [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2]]
    mesh, search = graze.Mesh(4, faces), graze.StepSearch(faces, 4)
    candidates = graze.find_candidates(faces, x0, x1, 0.1)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    sides = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    body, model = graze.rigid.Body(corners, sides), graze.polyhedron.Model.hull(corners)
    buffer = bytearray(x0.tobytes())
    view = np.frombuffer(buffer).reshape(4, 3)
    expected = graze.earliest_impact(mesh, view, x1).toi
    for array in (faces, corners, sides):
        array.fill(100)
    del faces, corners, sides, view
    buffer[:] = bytes(len(buffer))
    buffer.clear()  # refused while an answer still views it
    for again in (graze.earliest_impact(mesh, x0, x1), search.earliest_impact(x0, x1),
                  candidates.earliest_impact(x0, x1)):  # fmt: skip
        assert again.toi == expected == 0.5
    apart = graze.rigid.Pose(translation=(0, 0, 3))
    assert abs(graze.rigid.distance(body, np.eye(4), body, apart).lo - 2) < 1e-9
    assert model.vertices.max() == 1


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
    st.sampled_from([b"x", {}, [], [[]], [[1], [1, 2]], object(), 1j, 2**31, -(2**63), 2**64, 10**400,
                     memoryview(bytes(96)), memoryview(b""), np.ma.masked, np.float32(1), "vertex-face", "exact"]),
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
    if array.dtype.kind in "fiu" and array.size and draw(st.booleans()):
        least, most = (np.iinfo(dtype).min, np.iinfo(dtype).max) if array.dtype.kind in "iu" else (-1e308, 1e308)
        strange = [least, most] if array.dtype.kind in "iu" else [np.nan, np.inf, -np.inf, least, most, 5e-324, -0.0]
        array.flat[draw(st.integers(0, array.size - 1))] = draw(st.sampled_from(strange))
    change = draw(st.sampled_from(["none", "reverse", "transpose", "broadcast", "read-only", "matrix", "masked"]))
    if change == "reverse" and array.ndim:
        array = array[::-1]
    elif change == "transpose":
        array = array.T
    elif change == "broadcast":
        array = np.broadcast_to(array, (2, *array.shape))
    elif change == "read-only":
        array.flags.writeable = False
    elif change == "matrix" and array.ndim == 2:
        array = np.asmatrix(array)
    elif change == "masked":
        array = np.ma.masked_array(array)
    return array


values = st.one_of(arrays(), scalars)
options = st.sampled_from(
    "t_max min_separation norm method strategy at_start start_check max_contacts shared_vertices static groups "
    "meets within_group masks group_pairs listed stray_vertices admits threads unknown".split()
)

X0 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 1.0]])
X1 = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, -1.0]])
FACES = [[0, 1, 2]]
SOLID = graze.polyhedron.Model.box((0, 0, 0), (1, 1, 1))
OBSTACLE = graze.polyhedron.Obstacle(graze.polyhedron.Model.box((3, 0, 0), (4, 1, 1)))
CANDIDATES = graze.find_candidates(FACES, X0, X1, 0.1)
BODY = graze.rigid.Body(np.eye(3), FACES)
REST = graze.rigid.resting()
PROOF = graze.certificate(np.concatenate([X0[[3, 0, 1, 2]]] * 2))
ARM = """<robot name="arm"><link name="base"/><link name="upper"><collision>
  <geometry><box size="0.1 0.1 1"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/></joint></robot>"""


def few(count):
    """Replaces large whole numbers, which would make large scenes, by small ones."""
    return count % 5 if isinstance(count, int) and 5 < count < 10**6 else count


def run_of(*arguments, **named):
    return list(itertools.islice(graze.sim.scene("ragdoll").frames(*arguments, **named), 4))


@functools.lru_cache
def arm():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "arm.urdf")
        with open(file, "w") as stream:
            stream.write(ARM)
        return graze.rigid.Robot(file)


@functools.lru_cache
def path_checker():
    return graze.rigid.PathChecker(arm(), [("wall", BODY, np.eye(4))])


def search(name, *arguments, **named):
    return getattr(graze.StepSearch(FACES, 4), name)(*arguments, **named)


def step_option(name, value):
    for function in (graze.earliest_impact, graze.all_impacts, graze.find_pairs, graze.collision_free_stepsize):
        function(FACES, X0, X1, **{name: value})


def query_option(name, value):
    return graze.first_contact(np.concatenate([X0, X1]), **{name: value})


def calls():
    """Returns the public functions, constructors and methods by name, with the number of arguments to invent. A
    name may have further entries, "name: what is invented"."""
    rigid, polyhedron, sim = graze.rigid, graze.polyhedron, graze.sim
    motion = rigid.translation((0, 0, 1))
    table = {
        "earliest_impact": (graze.earliest_impact, 3), "all_impacts": (graze.all_impacts, 3),
        "earliest_impact: edges": (lambda e, x0, x1: graze.earliest_impact(None, x0, x1, edges=e), 3),
        "collision_free_stepsize": (graze.collision_free_stepsize, 3),
        "find_pairs": (graze.find_pairs, 3), "check_mesh": (graze.check_mesh, 2),
        "find_intersections": (graze.find_intersections, 2),
        "find_intersections: two meshes": (graze.find_intersections, 4),
        "find_candidates": (graze.find_candidates, 4),
        "Mesh": (graze.Mesh, 3), "StepSearch": (graze.StepSearch, 2),
        **{f"StepSearch.{name}": (functools.partial(search, name), count) for name, count in
           (("earliest_impact", 2), ("all_impacts", 2), ("find_pairs", 2), ("collision_free_stepsize", 2),
            ("candidates", 3))},
        **{f"Candidates.{name}": (getattr(CANDIDATES, name), count) for name, count in
           (("covers", 2), ("step_bounds", 1), ("earliest_impact", 2), ("all_impacts", 2),
            ("collision_free_stepsize", 2))},
        **{f"earliest_impact: {name}": (functools.partial(step_option, name), 1) for name in
           ("groups", "meets", "static", "masks", "group_pairs", "distance_tol", "time_tol", "max_checks")},
        "first_contact": (graze.first_contact, 1), "first_contact: kind": (graze.first_contact, 2),
        **{f"first_contact: {name}": (functools.partial(query_option, name), 1) for name in
           ("t_max", "distance_tol", "max_checks", "threads")},
        "contact_times": (graze.contact_times, 2), "closest_points": (graze.closest_points, 3),
        "certificate": (graze.certificate, 2), "verify": (graze.verify, 2),
        "verify: query": (lambda *query: graze.verify(PROOF, *query), 2),
        "Certificate": (graze.Certificate, 2), "methods": (graze.methods, 0), "strategies": (graze.strategies, 0),
        "read_mesh": (graze.read_mesh, 1), "write_mesh": (graze.write_mesh, 3),
        "write_mesh: arrays": (lambda *arrays: graze.write_mesh("a.ply", *arrays), 2),
        "read_queries": (graze.read_queries, 1), "write_queries": (graze.write_queries, 3),
        "write_queries: arrays": (lambda *arrays: graze.write_queries("a.npy", *arrays), 2),
        "record": (graze.record, 3), "record: hits": (lambda hits: graze.record([X0, X1], FACES, hits), 1),
        "record: times": (lambda times: graze.record([X0, X1], FACES, times=times), 1),
        "play": (graze.play, 3), "show": (graze.show, 4), "has_viewer": (graze.has_viewer, 0),
        "Page": (graze.Page, 1), "Page.save": (graze.Page("text").save, 1),
        "rigid.Body": (rigid.Body, 2), "rigid.Pose": (rigid.Pose, 2),
        "rigid.Pose.from_matrix": (rigid.Pose.from_matrix, 1),
        "rigid.Pose.from_axis_angle": (rigid.Pose.from_axis_angle, 3),
        "rigid.Motion.pose_at": (motion.pose_at, 1), "rigid.resting": (rigid.resting, 1),
        "rigid.translation": (rigid.translation, 1), "rigid.rotation_about": (rigid.rotation_about, 2),
        "rigid.linear_motion": (rigid.linear_motion, 2), "rigid.screw_motion": (rigid.screw_motion, 2),
        "rigid.advance": (rigid.advance, 4),
        "rigid.advance: limits": (
            lambda t, h, m: rigid.advance(BODY, motion, BODY, REST, t_max=t, threshold=h, margin=m), 3),
        "rigid.distance": (rigid.distance, 4),
        "rigid.distance: poses": (lambda a, b, tol: rigid.distance(BODY, a, BODY, b, tol=tol), 3),
        "rigid.check_path": (rigid.check_path, 3),
        "rigid.check_path: poses": (lambda world, poses: rigid.check_path(BODY, world, poses), 2),
        "rigid.Robot": (rigid.Robot, 2), "rigid.RobotProof": (rigid.RobotProof, 3),
        "rigid.Robot.attached": (lambda *part: arm().attached(*part), 5),
        "rigid.Robot.attached: pose": (lambda pose: arm().attached("part", BODY, arm().links[0], pose), 1),
        "rigid.PathChecker": (rigid.PathChecker, 2),
        "rigid.PathChecker.check": (lambda *path: path_checker().check(path[0], times=path[1], velocities=path[2]), 3),
        "rigid.PathChecker.verify": (lambda *proof: path_checker().verify(*proof), 2),
        "rigid.PathChecker.check_edges": (lambda *ends: path_checker().check_edges(*ends), 2),
        "polyhedron.Model": (polyhedron.Model, 2), "polyhedron.Model.box": (polyhedron.Model.box, 2),
        "polyhedron.Model.hull": (polyhedron.Model.hull, 1), "polyhedron.Model.point": (polyhedron.Model.point, 1),
        "polyhedron.Obstacle": (polyhedron.Obstacle, 1), "polyhedron.move": (polyhedron.move, 4),
        "polyhedron.move: way": (lambda pose, way: polyhedron.move([OBSTACLE], SOLID, pose, way), 2),
        "polyhedron.turn": (lambda *a: polyhedron.turn([OBSTACLE], SOLID, np.eye(4), *a), 3),
        "polyhedron.slide": (
            lambda way, step: polyhedron.slide([OBSTACLE], SOLID, np.eye(4), way, step_height=step), 2),
        "mpi.earliest_impact": (graze.mpi.earliest_impact, 4), "mpi.all_impacts": (graze.mpi.all_impacts, 4),
        "sim.scenes": (sim.scenes, 0), "sim.scene": (sim.scene, 1),
        "sim.scene: count": (lambda count: sim.scene("hoop", count=few(count)), 1),
        "sim.pile": (lambda *a: sim.pile(*a[:2], count=few(a[2])), 3),
        "sim.squash": (lambda *a: sim.squash(*a[:2], count=few(a[2])), 3),
        "sim.Simulation.step": (lambda seconds: sim.scene("ragdoll").step(seconds), 1),
        "sim.Simulation.frames": (lambda step: run_of(0.02, step=step), 1),
    }  # fmt: skip
    return table


def has_constructor(kind):
    """Returns whether users construct objects of a class, so that they are not only results of functions."""
    try:
        kind()
    except TypeError as error:
        return "No constructor defined" not in str(error) and kind not in (graze.Candidates, graze.sim.Simulation)
    return True


def public_names():
    """Returns all public names that can be called, except results, enumerations and exceptions."""
    modules = {"": graze, "rigid.": graze.rigid, "polyhedron.": graze.polyhedron, "sim.": graze.sim,
               "mpi.": graze.mpi}  # fmt: skip
    for prefix, module in modules.items():
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                if issubclass(thing, (tuple, np.ndarray, enum.Enum, Exception)):
                    continue
                if has_constructor(thing):
                    yield prefix + name
                for method, value in vars(thing).items():
                    if not method.startswith("_") and (callable(value) or isinstance(value, staticmethod)):
                        yield f"{prefix}{name}.{method}"
            elif callable(thing):
                yield prefix + name


def test_every_public_function_is_tried():
    tried = {name.split(":")[0] for name in calls()}
    assert len(tried) > 60
    assert sorted(set(public_names()) - tried) == []


EXPECTED = (TypeError, ValueError, OverflowError, RuntimeError, graze.FileError, OSError)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", calls())
def test_hostile_arguments_raise_or_answer(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some names of files are accepted
    function, count = calls()[name]

    @EXAMPLES
    @given(st.lists(values, min_size=count, max_size=count), st.booleans())
    def attempt(arguments, same):
        if same:  # often shapes must agree
            arguments[2:] = arguments[1:2] * len(arguments[2:])
        try:
            function(*arguments)
        except EXPECTED as error:
            assert str(error)

    attempt()


@pytest.mark.filterwarnings("ignore")
def test_hostile_options_raise_or_answer():
    @EXAMPLES
    @given(options, values)
    def attempt(name, value):
        try:
            step_option(name, value)
        except EXPECTED as error:
            assert str(error)

    attempt()
