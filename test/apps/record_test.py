"""Tests of recordings and pages; test/web tests the content of pages in a browser.

Usage: record_test.py GRAZE [unittest arguments]
"""

import json
import re
import struct
import sys
import unittest
from pathlib import Path

import command_test
from command_test import CommandTest


class Record(CommandTest):
    def setUp(self):
        super().setUp()
        self.answer("generate", "cloth_on_cone", "--count", 200, "--out", "cloth")
        self.frames = sorted((self.folder / "cloth").glob("*.ply"))

    def contents(self, name):
        data = (self.folder / name).read_bytes()
        self.assertEqual(data[:4], b"glTF")
        self.assertEqual(struct.unpack("<I", data[8:12])[0], len(data))
        return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])

    def test_frames_become_a_recording_and_frames_again(self):
        self.answer("record", *self.frames, "--out", "cloth.glb", "--rate", 10)
        recording = self.contents("cloth.glb")
        self.assertEqual(len(recording["meshes"][0]["primitives"][0]["targets"]),
                         len(self.frames) - 1)
        self.assertNotIn("extensionsRequired", recording)
        self.answer("record", "cloth.glb", "--frames", "again")
        again = sorted((self.folder / "again").glob("*.ply"))
        self.assertEqual(len(again), len(self.frames))
        self.answer("record", *again, "--out", "again.glb", "--rate", 10)
        self.assertEqual(self.contents("again.glb")["accessors"], recording["accessors"])

    def test_json_states_what_was_written(self):
        written = json.loads(self.answer("record", *self.frames, "--out", "cloth.glb", "--rate", 10, "--json"))
        self.assertEqual((written["frames"], written["bodies"], written["contacts"]), (len(self.frames), 1, 0))
        self.assertEqual((written["end"], written["time_unit"]), ((len(self.frames) - 1) / 10, "s"))
        vertices, faces = (int(re.search(rf"element {name} (\d+)", self.frames[0].read_text("latin-1"))[1])
                           for name in ("vertex", "face"))
        self.assertEqual((written["vertices"], written["faces"]), (vertices, faces))
        self.assertEqual((written["out"], written["folder"], written["html"]), ("cloth.glb", None, None))
        again = json.loads(self.answer("record", "cloth.glb", "--frames", "again", "--json"))
        self.assertEqual(again, written | {"out": None, "folder": "again"})

    def test_a_step_is_recorded_with_its_contacts(self):
        run = self.graze("step", self.frames[1], self.frames[2], "--json", "--record", "step.glb")
        self.assertEqual(self.contents("step.glb")["extensions"]["GRAZE_contacts"]["count"],
                         json.loads(run.stdout)["contacts"])

    def test_what_cannot_be_recorded_is_refused(self):
        (self.folder / "broken.glb").write_bytes(b"glTF\2\0\0\0 and no more")
        self.generate("vertex-face.csv", count=3)
        self.refuse("record", "broken.glb", "--frames", "out", saying="broken.glb: is not a binary glTF")
        self.refuse("record", *self.frames, saying="--out, --frames and --html")
        self.refuse("record", *self.frames, "--out", "cloth.ply", saying=".glb")
        self.refuse("record", *self.frames, "--out", "a.glb", "--rate", 0, saying="--rate")
        self.answer("record", *self.frames, "--out", "cloth.glb")
        self.refuse("record", "cloth.glb", "--frames", "out", "--rate", 10, saying="--rate has no meaning for a recording")
        self.refuse("step", *self.frames[:2], "--html", "no/page.html")
        self.refuse("query", "vertex-face.csv", "--html", "q.html", saying="need each other")
        self.refuse("query", "vertex-face.csv", "--show", 1, saying="need each other")
        self.refuse("query", "vertex-face.csv", "--show", 3, "--html", "q.html")


if __name__ == "__main__":
    command_test.GRAZE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
