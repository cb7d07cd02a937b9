#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/new-algorithm makes what compiles and passes at once: in a copy of the tree its emulated test is built and run, and the
rules of the house hold there. new_algorithm_test.py [CMAKE [COMPILER]]"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, GENERATOR, COMPILER = "cmake", "Ninja", None
SOURCES = (".clang-format", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "README.md", "LICENSE", "adapters", "algorithms", "bench", "cmake", "distributed", "library",
           "docs", "emulator", "examples", "primitives", "python", "scripts", "survey", "tests")
NAME = "add_to_each"


def run(*words, cwd):
    done = subprocess.run([str(word) for word in words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class Skeleton(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.tree = pathlib.Path(cls.folder.name) / "tree"
        cls.tree.mkdir()
        for name in SOURCES:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, cls.tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            elif (ROOT / name).is_file():
                shutil.copy(ROOT / name, cls.tree / name)
        for rest in ("CHANGELOG.md", "SECURITY.md", "apps/README.md"):  # links lead there
            if (ROOT / rest).is_file() and not (cls.tree / rest).exists():
                (cls.tree / rest).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / rest, cls.tree / rest)
        cls.made = run(sys.executable, cls.tree / "scripts/new-algorithm", NAME, cwd=cls.tree)

    def test_it_is_made_once(self):
        self.assertEqual(self.made[0], 0, self.made[1])
        code, output = run(sys.executable, self.tree / "scripts/new-algorithm", NAME, cwd=self.tree)
        self.assertNotEqual(code, 0)
        self.assertIn("is there already", output)
        for name in ("Upper", "two words", "_x", "x-y", ""):
            code, output = run(sys.executable, self.tree / "scripts/new-algorithm", name, cwd=self.tree)
            self.assertNotEqual(code, 0, name)
        for name, says in (("class", "is a keyword of C++"), ("reduce", "primitives/ballot/reduce.cuh is there already"),
                           ("detail", "ballot::detail is there already, in "), ("exec", "ballot::exec is there already, in "),
                           ("plus", "ballot::plus is there already, in "),
                           ("compact_indices", "ballot::compact_indices is there already, in algorithms/ballot/compact.cuh")):
            code, output = run(sys.executable, self.tree / "scripts/new-algorithm", name, cwd=self.tree)
            self.assertNotEqual(code, 0, name)
            self.assertIn(says, output)
        left = [file for file in self.tree.rglob(f"*{NAME}*") if file.is_file() and "@" in file.read_text()]
        self.assertEqual(left, [])

    def test_the_command_that_it_prints_is_about_what_is_built(self):
        """Where nvcc is, there is a gpu.NAME too, whose program the command does not build."""
        self.assertIn(f"--target tests_emu_{NAME} && ctest --preset dev -R '^emu_.*\\.{NAME}$'", self.made[1])

    def test_it_passes(self):
        build = pathlib.Path(self.folder.name) / "build"
        compiler = [f"-DCMAKE_CXX_COMPILER={COMPILER}"] if COMPILER else []
        for command in ([CMAKE, "-G", GENERATOR, "-S", self.tree, "-B", build, "-DBALLOT_CUDA=OFF", "-DBALLOT_APPS=OFF", "-DBALLOT_WERROR=ON", *compiler],
                        [CMAKE, "--build", build, "-j", "2", "--target", f"tests_emu_{NAME}"],
                        ["ctest", "--test-dir", build, "-R", f"^emu_(plain|checked).{NAME}$", "--output-on-failure", "--no-tests=error"]):
            code, output = run(*command, cwd=self.tree)
            self.assertEqual(code, 0, output[-4000:])

    def test_the_house_agrees(self):
        house = self.tree / "tests/house"
        of_this_tree = ["Snippets.test_all_compile", "Snippets.test_every_header_shows_its_use"]  # the others test the test
        for command in ([self.tree / "scripts/check-layers"], [house / "reference_test.py"], [house / "mutation_table_test.py"],
                        [house / "spdx_test.py"], [house / "snippets_test.py", COMPILER or "c++", *of_this_tree]):
            code, output = run(sys.executable, *command, cwd=self.tree)
            self.assertEqual(code, 0, f"{command[0].name}: {output[-4000:]}")

    def test_it_is_formatted(self):
        files = [file for file in self.tree.rglob(f"*{NAME}*") if file.suffix in (".cu", ".cuh")]
        self.assertGreaterEqual(len(files), 4)
        code, output = run(self.tree / "scripts/format", "--check", *files, cwd=self.tree)  # "not checked" where there is none
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        CMAKE = sys.argv.pop(1)
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        GENERATOR = sys.argv.pop(1)
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMPILER = sys.argv.pop(1)
    unittest.main()
