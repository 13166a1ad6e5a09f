"""Answers of the package: docstrings, filters, threads, memory, Ctrl-C, files, rigid bodies."""

import ast
import doctest
import enum
import inspect
import os
import pathlib
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import graze
import graze._page
import numpy as np
import pytest

KINDS = ("vertex-face", "edge-edge", "vertex-edge", "vertex-vertex")


def same_bits(a, b):
    return np.array_equal(np.asarray(a, "f8").view("u8"), np.asarray(b, "f8").view("u8"))


@pytest.mark.parametrize("module", [graze, graze.rigid, graze.polyhedron, graze.sim, graze._page, graze._results])
def test_docstrings_run(module, reads_robots):
    if module is graze.rigid and not reads_robots:
        pytest.skip("this build reads no robots")
    assert doctest.testmod(module).failed == 0
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        assert thing.__doc__, name
        if inspect.isfunction(thing):
            assert ">>>" in thing.__doc__, f"{name} has no example"


def public_members(thing):
    """Returns the names of the members of a class and their docstrings."""
    for name, member in vars(thing).items():
        if not name.startswith("_") and not isinstance(thing, enum.EnumMeta):
            yield name, getattr(member, "__func__", member).__doc__
    if not issubclass(thing, (tuple, enum.Enum, OSError, np.ndarray)):
        yield "__init__", thing.__init__.__doc__ or thing.__doc__


WITH_EXAMPLE = {"Body", "Candidates", "Model", "PathChecker", "Robot", "StepSearch"}


@pytest.mark.parametrize("module", [graze, graze.rigid, graze.polyhedron, graze.sim])
def test_members_of_classes_have_docstrings_whose_examples_run(module, reads_robots):
    runner = doctest.DocTestRunner()
    examples = set()
    for name in module.__all__:
        thing = getattr(module, name)
        if not inspect.isclass(thing):
            continue
        for member, text in public_members(thing):
            assert text and text[0].isupper() or member in getattr(thing, "_fields", ()), f"{name}.{member}"
            assert text and not text.startswith(("Alias for", "As ")), f"{name}.{member}"
            for private in ("handle", "self:", "->", "_core"):  # signatures of pybind11
                assert private not in text, f"{name}.{member}"
        if name in ("Robot", "PathChecker") and not reads_robots:
            continue
        for test in doctest.DocTestFinder().find(thing, name, module=False, globs={}):
            runner.run(test)
            if test.examples:
                examples.add(name)
    assert runner.failures == 0
    expected = WITH_EXAMPLE & set(module.__all__)
    assert expected - ({"Robot", "PathChecker"} if not reads_robots else set()) <= examples


def test_the_stub_lists_what_the_extension_has(reads_robots):
    """mypy checks the package against the stub; this test checks the stub against the extension."""
    core = graze._core

    def public(names):
        return {name for name in names if not name.startswith("_")}

    def listed(body):
        """Returns the names that a list of statements defines."""
        assigned = [node for node in body if isinstance(node, ast.AnnAssign)]
        defined = [node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
        return public({*defined, *(node.target.id for node in assigned)})

    tree = ast.parse(pathlib.Path(graze.__file__).with_name("_core.pyi").read_text())
    assert listed(tree.body) == public(vars(core))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert len(classes) > 15
    for node in classes:
        thing = getattr(core, node.name)
        assert isinstance(thing, type)
        assert listed(node.body) == public(vars(thing)), node.name


def test_one_query_equals_its_row(query):
    rng = np.random.default_rng(1)
    for kind, corners in zip(KINDS, (8, 8, 6, 4)):
        queries = rng.random((200, corners, 3))
        if kind == "vertex-vertex":
            queries[:, 2:] = queries[:, 1::-1]  # the vertices change places
        rows = graze.first_contact(queries, kind)
        for one, row in zip(queries, rows):
            impact = graze.first_contact(one, kind)
            assert impact.verdict == row["verdict"] and impact.checks == row["checks"]
            assert same_bits([impact.toi, impact.toi_hi], [row["toi"], row["toi_hi"]])
            assert same_bits(impact.normal, [row["nx"], row["ny"], row["nz"]])
    assert graze.first_contact(query).contact is graze.ContactKind.interior


def test_a_pierced_start_is_contact_at_0():
    faces = np.array([[0, 1, 2], [3, 4, 5]])
    x0 = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [9, 0, 0.5]], float)
    step = graze.earliest_impact(faces, x0, x0)
    assert (step.verdict, step.kind, step.toi) == (graze.Verdict.contact, graze.Kind.edge_face, 0)
    assert len(graze.all_impacts(faces, x0, x0)) >= 1
    assert graze.earliest_impact(faces, x0, x0, start_check=False).kind is not graze.Kind.edge_face
    with pytest.raises(ValueError, match="kind"):
        graze.first_contact(np.zeros((8, 3)), graze.Kind.edge_face)


def test_a_mesh_is_checked():
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    check = graze.check_mesh(faces, x)
    assert check.is_clean and check.is_closed and check.is_manifold and check.is_oriented
    assert "clean" in repr(check)
    moved = x + [0.25, 0.25, -0.5]
    found = graze.find_intersections(faces, x, faces, moved)
    assert found.verdict is graze.Verdict.contact
    assert set(found.faces["contact"]) == set(graze.FaceContact)  # one face slides in its plane
    both = graze.find_intersections(np.concatenate([faces, faces + 4]), np.concatenate([x, moved]))
    assert [(a, b + 4) for a, b in found.faces[["a", "b"]].tolist()] == both.faces[
        ["a", "b"]
    ].tolist()
    everything = np.ones(8, bool)
    none = graze.find_intersections(
        np.concatenate([faces, faces + 4]), np.concatenate([x, moved]), static=everything
    )
    assert none.verdict is graze.Verdict.separated and len(none.faces) == 0
    apart = graze.find_intersections(faces, x, faces, x + 5)
    assert apart.verdict is graze.Verdict.separated
    assert graze.check_mesh(faces, x * np.nan).intersections.verdict is graze.Verdict.invalid
    with pytest.raises(ValueError, match="other_x"):
        graze.find_intersections(faces, x, faces)


def test_threads_get_the_same_answers(cloth):
    faces, x0, x1 = cloth
    expected = graze.all_impacts(faces, x0, x1, threads=1)
    with ThreadPoolExecutor(8) as pool:
        work = [pool.submit(graze.all_impacts, faces, x0, x1, threads=1) for _ in range(8)]
        for done in work:
            assert done.result().tobytes() == expected.tobytes()


def test_step_search_equals_the_functions(cloth):
    faces, x0, x1 = cloth
    search = graze.StepSearch(faces, len(x0))
    for k in range(4):
        a, b = x0 + (x1 - x0) * k / 4, x0 + (x1 - x0) * (k + 1) / 4
        assert search.all_impacts(a, b).tobytes() == graze.all_impacts(faces, a, b).tobytes()
        assert search.collision_free_stepsize(a, b) == graze.collision_free_stepsize(faces, a, b)
    assert search.use[1] == 8
    assert "StepSearch" in repr(search)


def test_the_stepsize_is_free_and_the_next_double_is_not(cloth):
    faces, x0, x1 = cloth
    step = graze.collision_free_stepsize(faces, x0, x1)
    assert 0 < step < 1
    free = graze.earliest_impact(faces, x0, x1, t_max=step)
    assert free.verdict is graze.Verdict.separated
    beyond = graze.earliest_impact(faces, x0, x1, t_max=np.nextafter(step, 1))
    assert beyond.verdict is graze.Verdict.contact


def test_filters(step):
    faces, x0, x1 = step
    contact, separated = graze.Verdict.contact, graze.Verdict.separated

    def verdict(**options):
        return graze.earliest_impact(faces, x0, x1, **options).verdict

    assert verdict(static=[True, True, True, False]) is contact
    assert verdict(static=np.ones(4, bool)) is separated
    assert verdict(groups=[0, 0, 0, 1], within_group=False) is contact
    assert verdict(groups=[0, 0, 0, 0], within_group=False) is separated
    assert verdict(groups=[0, 0, 0, 1], meets=[[1, 0], [0, 1]]) is separated


def test_filters_of_masks_lists_and_functions(step):
    faces, x0, x1 = step
    contact, separated = graze.Verdict.contact, graze.Verdict.separated

    def verdict(**options):
        return graze.earliest_impact(faces, x0, x1, **options).verdict

    assert verdict(masks=[[1, 2], [1, 2], [1, 2], [2, 1]]) is contact
    assert verdict(masks=[[1, 1], [1, 1], [1, 1], [2, 3]]) is separated
    groups = [5, 5, 5, 6]
    assert verdict(groups=groups, group_pairs=[[6, 5]]) is separated
    assert verdict(groups=groups, group_pairs=[[5, 5]]) is contact
    assert verdict(groups=groups, group_pairs=[[5, 6]], listed="only") is contact
    assert verdict(groups=groups, group_pairs=[[5, 5]], listed="only") is separated
    assert verdict(stray_vertices=False) is separated
    asked = []
    assert verdict(admits=lambda kind, a, b: asked.append((kind, a, b)) or True) is contact
    assert set(asked) == {(graze.Kind.vertex_face, 3, 0)}
    assert verdict(admits=lambda kind, a, b: False) is separated

    def fails(kind, a, b):
        raise KeyError("from the filter")

    for function in (graze.earliest_impact, graze.all_impacts, graze.find_pairs):
        with pytest.raises(KeyError, match="from the filter"):
            function(faces, x0, x1, admits=fails)
    with pytest.raises(KeyError):
        graze.find_candidates(faces, x0, x1, 0.1, admits=fails)
    for name, value, error in [
        ("masks", [[1, 1]], ValueError), ("masks", [1, 2, 3, 4], ValueError),
        ("group_pairs", [[1, 2, 3]], ValueError), ("group_pairs", [[1.5, 2]], TypeError),
        ("listed", "all", ValueError), ("admits", 3, TypeError),
    ]:  # fmt: skip
        with pytest.raises(error, match=name):
            verdict(**{name: value})


def test_a_filter_that_fails_on_many_threads(cloth):
    faces, x0, x1 = cloth

    def fails(kind, a, b):
        raise KeyError("from the filter")

    for threads in (1, 2, 4):
        with pytest.raises(KeyError, match="from the filter"):
            graze.all_impacts(faces, x0, x1, admits=fails, threads=threads)


def test_candidates_give_the_same_bits(cloth):
    faces, x0, x1 = cloth
    candidates = graze.find_candidates(faces, x0, x1, 1e-3)
    by_search = graze.StepSearch(faces, len(x0)).candidates(x0, x1, 1e-3)
    assert candidates.mesh == graze.Mesh(len(x0), faces) and candidates.margin == 1e-3
    assert all((a == b).all() for a, b in zip(candidates.pairs, by_search.pairs))
    for part in (1, 0.5, 0.25):
        x = x0 + part * (x1 - x0)
        assert candidates.covers(x0, x) and not candidates.covers(x0, x, min_separation=1e-2)
        for options in ({}, {"min_separation": 5e-4}, {"min_separation": 1e-2}):
            answer = candidates.all_impacts(x0, x, **options)
            assert answer.tobytes() == graze.all_impacts(faces, x0, x, **options).tobytes()
            step = graze.collision_free_stepsize(faces, x0, x, **options)
            assert candidates.collision_free_stepsize(x0, x, **options) == step
        first = graze.earliest_impact(faces, x0, x)
        assert candidates.earliest_impact(x0, x).pair == first.pair
    bounds = candidates.step_bounds(x0)
    assert bounds.shape == (len(x0),) and (bounds >= 0).all() and bounds.max() <= 5e-4
    assert candidates.step_bounds(x0 + 1) is None
    with pytest.raises(TypeError, match="groups"):
        candidates.earliest_impact(x0, x1, groups=np.zeros(len(x0), int))
    with pytest.raises(TypeError, match="t_max"):
        graze.find_candidates(faces, x0, x1, 0, t_max=0.5)
    with pytest.raises(ValueError, match="margin"):
        graze.find_candidates(faces, x0, x1, -1)
    with pytest.raises(ValueError, match="x0"):
        graze.find_candidates(faces, x0 * np.nan, x1, 0)


def test_rods_and_points():
    x0 = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0, 1.0]])
    x1 = x0 - [[0, 0, 0], [0, 0, 0], [0, 0, 2]]
    hit = graze.earliest_impact(None, x0, x1, edges=[[0, 1]])
    assert hit.kind is graze.Kind.vertex_edge and hit.toi == 0.5
    points = graze.earliest_impact(None, x0[[0, 2]], x1[[0, 2]] - [[0, 0, 0], [0.5, 0, -1]])
    assert points.kind is graze.Kind.vertex_vertex and points.toi == 1


def test_start_contacts(step):
    faces, x0, x1 = step
    x0[3, 2] = 0
    x1[3, 2] = 1
    assert graze.earliest_impact(faces, x0, x1).toi == 0
    skipped = graze.earliest_impact(faces, x0, x1, at_start="skip")
    assert skipped.verdict is graze.Verdict.separated and skipped.start_contacts == 1


def test_positions_are_not_copied():
    resource = pytest.importorskip("resource")
    queries = np.zeros((500_000, 8, 3))  # 96 MB
    queries[:] = np.random.default_rng(2).random((8, 3))
    queries[:, (0, 4)] += 3  # separated
    graze.first_contact(queries[:1000])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answers = graze.first_contact(queries, strict=True)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < answers.nbytes + queries.nbytes / 4


def test_the_arrays_of_a_mesh_are_views(cloth):
    faces, x0, _ = cloth
    mesh = graze.Mesh(len(x0), faces)
    search = graze.StepSearch(mesh, len(x0))
    for owner in (lambda: mesh, lambda: search.mesh, lambda: graze.sim.scene("ragdoll").mesh):
        for name in ("faces", "edges"):
            view = getattr(owner(), name)  # keeps what it views alive
            assert len(view) > 0 and not view.flags.owndata
            with pytest.raises(ValueError, match="read-only"):
                view[0] = 0
            with pytest.raises(ValueError):
                view.flags.writeable = True
    assert np.shares_memory(mesh.faces, mesh.faces) and np.shares_memory(search.mesh.edges, search.mesh.edges)
    assert np.array_equal(mesh.faces, faces) and mesh.edges.dtype == np.uint32
    assert mesh.rods.shape == mesh.points.shape == (0,)
    lines = graze.Mesh(4, edges=[[0, 1]])
    assert lines.rods.tolist() == [0] and lines.points.tolist() == [2, 3]


def test_single_precision_is_widened(step):
    faces, x0, x1 = step
    narrow = graze.earliest_impact(faces, x0.astype("f4"), x1.astype("f4"), strict=True)
    assert narrow.toi == 0.5


def test_impacts_convert_to_pandas_as_they_are(cloth, query):
    pandas = pytest.importorskip("pandas")
    for rows in (graze.all_impacts(*cloth), graze.first_contact(np.stack([query, query + 1]))):
        frame = pandas.DataFrame(rows)
        assert tuple(frame.columns) == rows.dtype.names and len(frame) == len(rows) > 1
        for name in rows.dtype.names:
            assert frame[name].dtype == rows.dtype[name]
            assert frame[name].to_numpy().tobytes() == rows[name].tobytes()


def test_a_column_of_impacts_is_a_plain_array(cloth):
    hits = graze.all_impacts(*cloth)
    for name in hits.dtype.names:
        assert type(hits[name]) is np.ndarray and np.shares_memory(hits[name], hits), name
    for rows in (hits[1:3], hits[hits["toi"] > 0], hits[["toi", "kind"]]):
        assert type(rows) is graze.Impacts and rows.first_toi == hits.first_toi
    assert hits[0]["toi"] == hits["toi"][0] == hits.first_toi


def test_results_have_short_texts(tmp_path, query):
    assert repr(graze.contact_times(query)) == "<graze.ContactTimes: contact at t = 0.5>"
    flat = query.copy()
    flat[(0, 4), 2] = 0  # the vertex slides in the plane of the face
    flat[4, :2] = 1
    assert re.fullmatch(r"<graze.ContactTimes: contact at t = 0\.0 to 0\.3+\d*>", repr(graze.contact_times(flat)))
    assert repr(graze.contact_times(query + [[0, 0, 5], *[[0, 0, 0]] * 3] * 2)) == "<graze.ContactTimes: separated>"
    for truth, words in ((None, "1 query without truth"), ([True], "1 query with truth")):
        graze.write_queries(tmp_path / "one.csv", query[None], truth)
        assert words in repr(graze.read_queries(tmp_path / "one.csv"))


def test_a_step_takes_the_options_of_its_method(step, query):
    faces, x0, x1 = step
    seen = set()
    for options in [
        {}, {"distance_tol": 1e-3}, {"distance_tol": 0.5}, {"max_checks": 3}, {"max_checks": 0},
        {"method": "area_inclusion"}, {"method": "area_inclusion", "time_tol": 0.25},
    ]:  # fmt: skip
        options = {"method": "tight_inclusion", **options}
        one = graze.first_contact(query, **options)
        (row,) = graze.all_impacts(faces, x0, x1, **options)
        assert row["verdict"] == one.verdict and row["checks"] == one.checks
        assert same_bits([row["toi"], row["toi_hi"]], [one.toi, one.toi_hi])
        seen.add((one.verdict, one.toi, one.checks))
    assert len(seen) == 6  # each option changes the answer, except for max_checks=0
    x0[3, 2] = 1e-7  # nearer than distance_tol
    assert graze.earliest_impact(faces, x0, x1, method="tight_inclusion").toi == 0
    assert graze.earliest_impact(faces, x0, x1, method="tight_inclusion", no_zero_toi=True).toi > 0
    search = graze.StepSearch(faces, 4)
    with pytest.raises(TypeError, match="max_checks"):
        search.all_impacts(x0, x1, max_checks="many")
    for name, value in [("distance_tol", 0), ("time_tol", -1), ("time_tol", np.nan), ("max_checks", -1)]:
        with pytest.raises(ValueError, match=name):
            graze.earliest_impact(faces, x0, x1, **{name: value})


def test_results_own_their_memory(cloth):
    faces, x0, x1 = (array.copy() for array in cloth)
    hits = graze.all_impacts(faces, x0, x1)
    kept = hits.tobytes()
    x0.fill(np.nan)
    del faces, x0, x1
    assert hits.tobytes() == kept
    part = hits[:3]
    assert part.verdict is graze.Verdict.contact and part.points.shape == (3, 3)


def assert_interrupted(call):
    """Expects that the call ends within a second after an interrupt, which comes after 0.3 seconds;
    within two on a busy machine."""
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    # A shell starts its background jobs, perhaps these tests, with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - sent[0] < 2


def sliding_vertex():
    """Returns a triangle in a plane oblique to the axes and a vertex that slides at a distance of
    1e-9 from it, as a vertex-face query: without a budget, iterative methods need a minute or more."""
    triangle = np.array([[0, 0, 0], [1, 1, -2], [1, -1, 0.0]])
    start, end = np.array([[0.1, -0.05, -0.05], [0.9, -0.45, -0.45]]) + 1e-9
    return np.vstack([start, triangle, end, triangle])


def mixed_magnitudes(count, seed=0):
    """Returns queries whose coordinates range from 1e-301 to 1e301: integers of many digits decide."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], (count, 8, 3))
    return signs * rng.random((count, 8, 3)) * 2.0 ** rng.integers(-1000, 1000, (count, 8, 3))


ITERATIVE = ("tight_inclusion", "additive_advancement", "interval_multivariate", "interval_univariate")


@pytest.mark.parametrize("count", [None, 1, 500])
@pytest.mark.parametrize("method", ITERATIVE)
def test_interrupt_ends_one_call_of_iterative_queries(method, count):
    query = sliding_vertex()
    queries = query if count is None else np.tile(query, (count, 1, 1))
    assert_interrupted(
        lambda: graze.first_contact(queries, method=method, distance_tol=1e-13, max_checks=0)
    )


@pytest.mark.parametrize("method", ITERATIVE)
def test_interrupt_ends_one_step_of_an_iterative_method(method):
    query = sliding_vertex()
    order = [1, 2, 3, 0]
    options = {"method": method, "distance_tol": 1e-13, "max_checks": 0}
    assert_interrupted(
        lambda: graze.earliest_impact([[0, 1, 2]], query[:4][order], query[4:][order], **options)
    )


@pytest.mark.parametrize(
    "name, count",
    [("exact", 50_000), ("separation", 3_000), ("oracle", 2_000), ("contact_times", 30_000), ("certificate", 1)],
)
def test_interrupt_ends_one_call_of_exact_queries(name, count):
    """Each of these calls takes several seconds if it is not interrupted."""
    queries = mixed_magnitudes(count)
    assert_interrupted({
        "exact": lambda: graze.first_contact(queries),
        "separation": lambda: graze.first_contact(queries, min_separation=0.1),
        "oracle": lambda: graze.first_contact(queries, min_separation=0.1, method="oracle"),
        "contact_times": lambda: graze.contact_times(queries),
        "certificate": lambda: graze.certificate(narrow_miss(), "edge-edge", max_checks=0),
    }[name])  # fmt: skip


def narrow_miss():
    """Returns an edge-edge query whose certificate takes seconds."""
    rng = np.random.default_rng(93)
    signs = rng.choice([-1, 1], (8, 3))
    query = signs * rng.random((8, 3)) * 2.0 ** rng.integers(-1000, 1000, (8, 3))
    return np.where(rng.random((8, 3)) < 0.4, 0, query)


@pytest.mark.parametrize(
    "name",
    ["earliest_impact", "all_impacts", "collision_free_stepsize", "find_pairs", "find_candidates",
     "find_intersections", "check_mesh", "StepSearch"],
)  # fmt: skip
def test_interrupt_ends_one_call_of_a_mesh(name):
    """12,000 triangles as large as the space that they fill: each call takes minutes."""
    rng = np.random.default_rng(1)
    x0 = rng.random((36_000, 3))
    x1 = x0 + 0.5 * rng.random(x0.shape)
    mesh = graze.Mesh(len(x0), np.arange(len(x0)).reshape(-1, 3))
    assert_interrupted({
        "find_candidates": lambda: graze.find_candidates(mesh, x0, x1, 0.1),
        "find_intersections": lambda: graze.find_intersections(mesh, x0),
        "check_mesh": lambda: graze.check_mesh(mesh, x0),
        "StepSearch": lambda: graze.StepSearch(mesh, len(x0)).all_impacts(x0, x1),
    }.get(name, lambda: getattr(graze, name)(mesh, x0, x1, at_start="skip")))  # fmt: skip


@pytest.fixture(scope="module")
def nested_balls():
    """Returns the vertices of a ball and of a slightly larger one, each of 14,160 triangles, and the faces."""
    n = 60
    turn, tilt = np.meshgrid(np.arange(2 * n) * np.pi / n, np.arange(n + 1) * np.pi / n)
    ball = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)], -1)
    row, column = (k.ravel() for k in np.mgrid[:n, : 2 * n])
    a, b = row * 2 * n + column, row * 2 * n + (column + 1) % (2 * n)
    faces = [np.stack([a, a + 2 * n, b + 2 * n], -1)[row < n - 1], np.stack([a, b + 2 * n, b], -1)[row > 0]]
    return 0.999 * ball.reshape(-1, 3), ball.reshape(-1, 3), np.concatenate(faces)


@pytest.mark.parametrize("name", ["distance", "advance", "turn", "slide", "path", "proof", "edges"])
def test_interrupt_ends_one_call_of_bodies(nested_balls, name, tmp_path, reads_robots):
    """Each of these calls takes seconds, or minutes, if it is not interrupted."""
    if name in ("path", "proof", "edges") and not reads_robots:
        pytest.skip("this build reads no robots")
    inner, outer, faces = nested_balls
    rigid, polyhedron = graze.rigid, graze.polyhedron
    if name in ("distance", "advance"):
        a, b = rigid.Body(inner, faces), rigid.Body(outer, faces)
        spin = rigid.rotation_about((0, 0, 0), (0, 0, 3.0))
        call = {
            "distance": lambda: [rigid.distance(a, np.eye(4), b, np.eye(4)) for _ in range(20)],
            "advance": lambda: rigid.advance(a, spin, b, rigid.resting(), threshold=0, max_checks=0),
        }[name]
    elif name in ("path", "proof", "edges"):
        graze.write_mesh(tmp_path / "ball.ply", 0.999 * inner, faces)
        (tmp_path / "robot.urdf").write_text(
            '<robot name="r"><link name="base"/><link name="ball"><collision><geometry>'
            f'<mesh filename="{tmp_path}/ball.ply"/></geometry></collision></link>'
            '<joint name="j" type="continuous"><parent link="base"/><child link="ball"/>'
            '<axis xyz="0.1 0.2 1"/></joint></robot>'
        )
        world = [("shell", rigid.Body(outer, faces), np.eye(4))]
        checker = rigid.PathChecker(rigid.Robot(str(tmp_path / "robot.urdf")), world, max_checks=0)
        start = np.linspace(0, 1, 1000)[:, None]
        call = {
            "path": lambda: checker.check([[0.0], [3.0]]),
            "proof": lambda: checker.check([[0.0], [3.0]], proof=True),
            "edges": lambda: checker.check_edges(start, start + 1),
        }[name]
    else:
        mover = polyhedron.Model(inner, faces.tolist())
        world = [polyhedron.Obstacle(polyhedron.Model(outer, faces.tolist()))]
        start = rigid.Pose()
        call = {
            "turn": lambda: polyhedron.turn(world, mover, start, (0, 0, 0), (0, 0, 1), 3.0),
            "slide": lambda: polyhedron.slide(world, mover, start, (0, 0.01, 0.01)),
        }[name]
    assert_interrupted(call)


def test_closest_points(query):
    at = graze.closest_points(query, 0.25)
    rows = graze.closest_points(np.stack([query] * 3000), 0.25)
    assert rows.dtype.names == ("u", "v", "nx", "ny", "nz", "distance")
    for row in rows:
        assert same_bits(list(row), [at.u, at.v, *at.normal, at.distance])
    assert (at.u, at.v, at.distance) == (0.25, 0.25, 0.5) and at.normal.tolist() == [0, 0, 1]
    assert graze.closest_points(query, 0.5).distance == 0
    assert len(graze.closest_points(np.empty((0, 8, 3)), 0.5)) == 0


def test_certificates(query):
    assert graze.certificate(query).verdict is graze.Verdict.contact
    apart = query.copy()
    apart[4:] = apart[:4]
    proof = graze.certificate(apart)
    assert graze.verify(proof, apart) and not graze.verify(proof, query)
    again = graze.Certificate(proof.t_max, proof.pieces)
    assert graze.verify(again, apart) and len(again) == len(proof)


def test_files(tmp_path, query):
    for name in ("q.csv", "q.npy"):
        graze.write_queries(tmp_path / name, query[None], [1])
        read = graze.read_queries(tmp_path / name)
        assert same_bits(read.queries, query[None])
        assert read.truth is not None and read.truth.tolist() == [True]
    with pytest.raises(graze.FileError, match="absent.ply"):
        graze.read_mesh(tmp_path / "absent.ply")
    assert issubclass(graze.FileError, OSError)


def test_recordings_and_pages(step):
    faces, x0, x1 = step
    hits = graze.all_impacts(faces, x0, x1)
    assert graze.record([x0, x1], faces, hits).startswith(b"glTF")
    try:
        page = graze.show(x0, x1, faces, hits)
    except RuntimeError as error:
        pytest.skip(str(error))
    assert "GRAZE_RECORDING" not in page.text[:1000] and "<iframe" in page._repr_html_()


def test_rigid_bodies():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1.0)])
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = [f for a, b, c, d in sides for f in ([a, b, c], [a, c, d])]
    body = graze.rigid.Body(corners, faces)
    assert body.ok and "12 faces" in repr(body)
    fall = graze.rigid.translation((0, 0, -4), start=graze.rigid.Pose(translation=(0.2, 0.2, 3)))
    hit = graze.rigid.advance(body, fall, body, graze.rigid.resting(), threshold=0)
    assert hit.verdict is graze.Verdict.contact
    assert 0.5 - 1e-9 < hit.toi <= 0.5
    near = graze.rigid.distance(body, np.eye(4), body, graze.rigid.Pose(translation=(0, 0, 3)))
    assert near.lo <= 2 <= near.hi + 1e-12
    broken = graze.rigid.Body(corners * np.nan, faces)
    assert not broken.ok
    rest = graze.rigid.resting()
    assert graze.rigid.advance(broken, fall, body, rest).verdict is graze.Verdict.invalid


def test_polyhedra_move_exactly():
    polyhedron, pose = graze.polyhedron, graze.rigid.Pose(translation=(0, 0, 4))
    floor = polyhedron.Obstacle(polyhedron.Model.box((-5, -5, -1), (5, 5, 0)))
    box = polyhedron.Model.box((-0.5, -0.5, 0), (0.5, 0.5, 2))
    fall = polyhedron.move([floor], box, pose, (0, 0, -12))
    assert fall.toi == np.nextafter(1 / 3, 0) or fall.toi == 1 / 3
    assert fall.toi_hi == np.nextafter(fall.toi, 1) and fall.contact.normal.tolist() == [0, 0, 1]
    free = polyhedron.move([floor], box, pose, (9, 0, 0))
    assert (free.verdict, free.toi, free.toi_hi) == (graze.Verdict.separated, np.inf, np.inf)
    assert free.end.translation.tolist() == [9, 0, 4]
    stands = graze.rigid.Pose()
    for sides, verdict in ("both", graze.Verdict.contact), ("front", graze.Verdict.separated):
        around = polyhedron.turn([floor], box, stands, (0, 0, 0), (0, 0, 1), 3, sides=sides)
        assert around.verdict is verdict
    with pytest.raises(ValueError, match="sides"):
        polyhedron.turn([floor], box, stands, (0, 0, 0), (0, 0, 1), 3, sides="back")
    open_box = polyhedron.Model([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert open_box.ok and not open_box.closed
    broken = polyhedron.Model([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])
    assert not broken.ok and "polygon 0" in broken.problem
    assert polyhedron.move([floor], broken, pose, (0, 0, 1)).verdict is graze.Verdict.invalid


@pytest.mark.parametrize("name", ["hoop", "mat", "rings", "wall", "ragdoll", "torus", "walker"])
def test_simulations_never_intersect(name):
    run = graze.sim.scene(name, count={"mat": 60, "torus": 84, "wall": 20}.get(name, 0))
    before = None
    for _, positions in run.frames(0.05):
        if name in ("ragdoll", "rings", "wall", "torus"):  # motions between frames are not straight
            found = graze.find_intersections(run.mesh, positions)
            assert found.verdict is graze.Verdict.separated
        elif before is not None and name != "walker":  # solids of its level overlap
            step = graze.earliest_impact(run.mesh, before, positions)
            assert step.verdict is graze.Verdict.separated
        assert np.isfinite(positions).all()
        before = positions
    assert abs(run.time - 0.05) < 0.02
    again = graze.sim.scene(name, count={"mat": 60, "torus": 84, "wall": 20}.get(name, 0))
    for _, same in again.frames(0.05, threads=1):
        pass
    assert same.tobytes() == before.tobytes()


def test_version_is_that_of_the_header():
    header = pathlib.Path(__file__).parents[2] / "include/graze/version.h"
    if header.exists():
        lines = header.read_text().splitlines()
        numbers = [line.split()[-1] for line in lines if line.startswith("#define GRAZE_VERSION_M")]
        assert graze.__version__.split(".")[:2] == numbers[:2]


def test_an_empty_page_of_the_viewer_is_none(tmp_path, monkeypatch):
    """The build writes an empty page where npm could not install the viewer's packages."""
    (tmp_path / "viewer.html").write_text("")
    monkeypatch.setattr(graze._page, "_VIEWER", tmp_path / "viewer.html")
    assert not graze.has_viewer()
    with pytest.raises(RuntimeError, match="without the viewer"):
        graze.play([np.zeros((3, 3))] * 2, [[0, 1, 2]])
