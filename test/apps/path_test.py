"""Tests of graze path and graze verify from the command line.

Usage: path_test.py GRAZE [unittest arguments]
"""

import json
import random
import re
import struct
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

DOCS = Path(__file__).parents[2] / "docs" / "formats"

ROBOT = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
  <link name="upper">
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="0.8"/></geometry></collision>
  </link>
  <link name="hand">
    <collision><geometry><mesh filename="package://arm/cube.obj" scale="0.1 0.1 0.1"/></geometry></collision>
  </link>
  <link name="tip"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="hand"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="end" type="fixed"><parent link="hand"/><child link="tip"/></joint>
</robot>
"""

WORLD = {
    "format": "graze-rigid-1",
    "bodies": [
        {"name": "wall", "box": [0.1, 2, 2], "from": {"position": [1.2, 0, 1]}},
        {"name": "part", "sphere": {"radius": 0.05}, "link": "tip", "from": {"position": [0, 0, 0.1]}},
    ],
    "may_touch": [["part", "hand"]],
}


def grammar_of_paths():
    """Returns the grammar of docs/formats/path.md as a regular expression."""
    block = re.search(r"```\n(path .*?)```", (DOCS / "path.md").read_text(), re.S).group(1)
    rules = dict(re.split(r"\s+=\s+", line, maxsplit=1) for line in block.strip().splitlines())
    terminals = {"newline": "\n", "JOINT": "(turn|slide)", "number": r"-?(\d+\.?\d*|\.\d+)(e-?\d+)?"}

    def expanded(rule):
        parts = []
        for token in re.findall(r'"[^"]*"|\*\(|[()/]|\w+', rules[rule]):
            if token in terminals:
                parts.append(terminals[token])
            elif token[0] == '"':
                parts.append(re.escape(token[1:-1]))
            else:
                parts.append({"*(": "(", "(": "(", ")": ")*", "/": "|"}.get(token) or expanded(token))
        return "(" + "".join(parts) + ")"

    return re.compile(expanded("path"))


class PathTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.answer("generate", "cube", "--out", "cube.obj")
        self.write("arm.urdf", ROBOT)
        self.write("arm.srdf", '<robot name="arm"><disable_collisions link1="base" link2="upper"/>'
                               '<disable_collisions link1="upper" link2="hand"/></robot>')
        self.write("world.json", json.dumps(WORLD))
        self.write("free.csv", "time,turn,slide\n0,0,0\n1,0.5,0\n2.5,-0.5,0.1\n")
        self.write("hit.csv", "turn,slide\n0,0\n1.5,0.2\n")

    def write(self, name, text):
        Path(self.folder, name).write_text(text)

    def path(self, *arguments, code):
        run = self.graze("path", "arm.urdf", *arguments)
        self.assertEqual((run.returncode, run.stderr), (code, ""), arguments)
        return run.stdout

    def scene(self, *arguments, code=0):
        return self.path(*arguments, "--srdf", "arm.srdf", "--world", "world.json", code=code)


class RobotPath(PathTest):
    def test_a_free_path_and_a_contact(self):
        if jsonschema:
            jsonschema.validate(WORLD, json.loads((DOCS / "rigid-scene.schema.json").read_text()))
        text = self.scene("free.csv")
        self.assertIn("free:", text)
        self.assertIn("2 joints, 5 links (1 without collision geometry: tip), 1 body, 2 pieces; ", text)
        answer = json.loads(self.scene("hit.csv", "--json", code=1))
        self.assertEqual(answer["verdict"], "contact")
        self.assertIn("wall", (answer["a"], answer["b"]))
        self.assertGreater(answer["s"], 0.1)
        self.assertAlmostEqual(answer["point_a"][0], 1.15, delta=1e-3)
        self.assertEqual(answer["links_without_collision"], ["tip"])
        near = json.loads(self.scene("hit.csv", "--json", "--margin", "0.05", code=1))
        self.assertLess(near["s"], answer["s"])
        own = json.loads(self.scene("hit.csv", "--json", "--pair-margin", "part,wall=0.1", code=1))
        self.assertLess(own["s"], near["s"])

    def test_a_recording_has_the_contact(self):
        self.scene("free.csv", "--record", "free.glb")
        self.assertEqual(self.contacts("free.glb"), [])
        answer = json.loads(self.scene("hit.csv", "--json", "--record", "hit.glb", code=1))
        self.assertEqual(self.contacts("hit.glb"), [(answer["time"], answer["a"], answer["b"])])

    def contacts(self, name):
        """Returns the time and the names of the two bodies of each contact of a recording."""
        data = (self.folder / name).read_bytes()
        (length,) = struct.unpack_from("<I", data, 12)
        content, binary = json.loads(data[20:20 + length]), data[28 + length:]

        def numbers(view, form):
            at = content["bufferViews"][view]
            return struct.iter_unpack(form, binary[at.get("byteOffset", 0):][:at["byteLength"]])

        kept = content["extensions"]["GRAZE_contacts"]
        if not kept["count"]:
            return []
        names = [content["nodes"][k]["name"] for k in content["nodes"][0]["children"]]
        self.assertEqual(kept["count"], 1)
        ((time,),) = numbers(kept["times"], "<d")
        (_, a, b) = [value for (value,) in numbers(kept["features"], "<I")][:3]
        return [(time, names[a], names[b])]

    def test_a_spent_budget_is_undecided(self):
        self.assertIn("undecided", self.scene("hit.csv", "--max-checks", "1", code=3))

    def test_splines(self):
        self.write("spline.csv", "time,turn,turn:velocity,slide,slide:velocity\n0,0,1,0,0\n1,0,-1,0.1,0\n")
        self.assertIn("free:", self.scene("spline.csv"))
        self.write("far.csv", "time,turn,turn:velocity,slide,slide:velocity\n0,0,9,0,0\n1,0,-9,0.1,0\n")
        self.assertIn("contact", self.scene("far.csv", code=1))

    def test_the_documented_grammar_is_that_of_the_reader(self):
        grammar = grammar_of_paths()
        texts = {"time,turn,turn:velocity,slide,slide:velocity": "1,0,0.25,.5,1e-2", "slide,turn": "0.1,-0.5",
                 "time,turn,slide": "0,0,0"}
        draw = random.Random(1)
        agreed = {True: 0, False: 0}
        for _ in range(60):
            header, row = draw.choice(list(texts.items()))
            text = header + "\n" + row
            for _ in range(draw.choice((0, 0, 1, 2))):
                at = draw.randrange(len(text))
                text = text[:at] + draw.choice(("", ",", ";", "x", "0", ":", "\n")) + text[at + draw.randrange(2):]
            self.write("drawn.csv", text)
            run = self.graze("path", "arm.urdf", "drawn.csv", "--srdf", "arm.srdf", "--ignore-limits")
            # Rules that the page states beside the grammar: numbers in a row, columns of joints, times, a row.
            meaning = ("the row has", "no column", "two columns", "occurs twice", "do not increase", "need",
                       "has no row")
            if run.returncode == 2 and any(part in run.stderr for part in meaning):
                continue
            lines = "\n".join(line for line in text.split("\n") if line)
            fits = grammar.fullmatch(lines) is not None
            self.assertEqual(run.returncode != 2, fits, (text, run.stderr))
            agreed[fits] += 1
        self.assertGreater(min(agreed.values()), 10, agreed)

    def test_a_proof_is_verified_and_every_change_is_refuted(self):
        self.scene("free.csv", "--certificate", "proof.json", "--margin", "0.01")
        run = self.graze("verify", "proof.json")
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        proof = json.loads(Path(self.folder, "proof.json").read_text())
        if jsonschema:
            jsonschema.validate(proof, json.loads((DOCS / "path-proof.schema.json").read_text()))

        def refute(change, code=1):
            changed = json.loads(json.dumps(proof))
            change(changed)
            self.write("changed.json", json.dumps(changed))
            found = self.graze("verify", "changed.json")
            self.assertEqual(found.returncode, code, found.stdout + found.stderr)

        refute(lambda p: p["intervals"].pop(0))
        refute(lambda p: p["intervals"][0].update(normal=[-x for x in p["intervals"][0]["normal"]]))
        refute(lambda p: p["intervals"][0].update(s=[0, p["intervals"][0]["s"][1] / 2]))
        refute(lambda p: p["intervals"][0].update(a=[1, p["intervals"][0]["a"][1]]))
        refute(lambda p: p["intervals"][0].update(b=[0, 100000]))
        refute(lambda p: p["intervals"][0].update(piece=17))
        refute(lambda p: p["pairs"].pop())
        refute(lambda p: p["pairs"][0].update(a="nobody"))
        refute(lambda p: p["orders"][0].reverse() or p["orders"][0].pop())
        refute(lambda p: p.update(margin=0.5))
        refute(lambda p: p["hashes"][0].update(sha256="0" * 64))
        refute(lambda p: p["hashes"][0].update(file="nowhere.urdf"))
        refute(lambda p: p["hashes"].pop())
        refute(lambda p: p.update(format="other"), code=2)
        refute(lambda p: p.pop("intervals"), code=2)
        refute(lambda p: p.update(urdf="nowhere.urdf"), code=2)
        # A change of an input is refuted too.
        self.write("free.csv", "time,turn,slide\n0,0,0\n1,0.5,0\n2.5,-0.6,0.1\n")
        self.assertEqual(self.graze("verify", "proof.json").returncode, 1)

    def test_no_proof_of_a_contact_is_written(self):
        self.assertIn("was not written", self.scene("hit.csv", "--certificate", "none.json", code=1))
        self.assertFalse(Path(self.folder, "none.json").exists())

    def test_proofs_of_queries(self):
        self.answer("generate", "near_ulp", "--kind", "vertex-face", "--count", "50", "--seed", "1", "--out",
                    "vertex-face.csv")
        self.answer("query", "vertex-face.csv", "--certificate", "queries.json")
        run = self.graze("verify", "queries.json", "--json")
        answer = json.loads(run.stdout)
        self.assertEqual((run.returncode, answer["valid"]), (0, True))
        self.assertGreater(answer["claims"], 0)
        proof = json.loads(Path(self.folder, "queries.json").read_text())
        if jsonschema:
            jsonschema.validate(proof, json.loads((DOCS / "path-proof.schema.json").read_text()))

        def refute(change, code=1):
            changed = json.loads(json.dumps(proof))
            change(changed["proofs"][0])
            self.write("changed.json", json.dumps(changed))
            found = self.graze("verify", "changed.json")
            self.assertEqual(found.returncode, code, found.stdout + found.stderr)

        def turn(p):
            p["pieces"][0]["direction"][0] = [[-x for x in part] for part in p["pieces"][0]["direction"][0]]

        refute(turn)
        refute(lambda p: p["pieces"].pop())
        refute(lambda p: p["pieces"][-1].update(end=[0.5]))
        refute(lambda p: p.update(t_max=2.0))
        # The vertex ends at a corner of the face.
        refute(lambda p: p["query"].__setitem__(4, p["query"][5]))
        refute(lambda p: p.update(kind="vertex-vertex"), code=2)
        refute(lambda p: p["query"].pop(), code=2)
        refute(lambda p: p.pop("t_max"), code=2)

    def test_bad_input_names_file_and_element(self):
        def refused(part, *arguments):
            run = self.graze("path", *arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
            self.assertIn(part, run.stderr)

        refused("nowhere.urdf", "nowhere.urdf", "free.csv")
        self.write("bad.urdf", "<robot name='x'><link name='a'/>")
        refused("bad.urdf", "bad.urdf", "free.csv")
        self.write("loop.urdf", ROBOT.replace('<parent link="base"/>', '<parent link="hand"/>'))
        refused("loop.urdf", "loop.urdf", "free.csv")
        self.write("missing.urdf", ROBOT.replace("cube.obj", "none.obj"))
        refused('link "hand": the mesh "package://arm/none.obj"', "missing.urdf", "free.csv")
        self.write("bad.srdf", '<robot name="arm"><disable_collisions link1="base" link2="moon"/></robot>')
        refused("bad.srdf:1: <disable_collisions>: the robot has no link \"moon\"", "arm.urdf", "free.csv",
                "--srdf", "bad.srdf")
        for text, part in (("turn,slide,elbow\n0,0,0\n", 'path.csv:1: the robot has no joint "elbow"'),
                           ("turn\n0\n", 'path.csv:1: joint "slide" has no column'),
                           ("turn,slide\n0\n", "path.csv:2: the row has 1 numbers"),
                           ("turn,slide\n0,nan\n", 'path.csv:2: "nan"'),
                           ("time,turn,slide\n1,0,0\n1,0,0\n", "path.csv:3: the times"),
                           ("turn,slide\n", "no row"),
                           ("", "path.csv:1: the file is empty"),
                           ("turn,slide\n0,0\n9,0\n", 'joint "turn", piece 0: the path leaves the limits')):
            self.write("path.csv", text)
            refused(part, "arm.urdf", "path.csv", "--srdf", "arm.srdf")
        refused("--joint", "arm.urdf", "free.csv", "--joint", "slide")
        refused("--margin", "arm.urdf", "free.csv", "--margin", "-1")
        for change, part in (({"may_touch": [["part", "moon"]]}, 'may_touch[0][1]: no body or link has the name "moon"'),
                             ({"bodies": WORLD["bodies"] * 2}, 'bodies[2]: the name "wall" is used twice'),
                             ({"bodies": [{"name": "x", "box": [1, 1, 1], "from": {"rotation": [1e308] * 3}}]},
                              "bodies[0].from: the rotation is too large"),
                             ({"bodies": [dict(WORLD["bodies"][1], link="moon")]},
                              'bodies[0]: the robot has no link "moon"')):
            self.write("bad.json", json.dumps({**WORLD, **change}))
            refused(part, "arm.urdf", "free.csv", "--world", "bad.json")

    def test_a_joint_without_a_column_and_a_package_folder(self):
        self.write("turn.csv", "turn\n0\n0.5\n")
        self.path("turn.csv", "--srdf", "arm.srdf", "--joint", "slide=0.1", "--package", "arm=.", code=0)


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
