#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the decisions of the scripts, with machines made of stubs: which nvcc is taken, the message if nothing can be
installed, that the account of a test run reports failures, and that bad arguments are rejected before anything is done."""
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS / "lib"))
import demo  # noqa: E402  (a script's module, in the folder added above)
import quick  # noqa: E402


class Machine(unittest.TestCase):
    """A PATH with the basic tools and the tools that a test adds."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for tool in ("bash", "env", "dirname", "basename", "sort", "head", "sed", "grep", "readlink", "cat", "nproc", "true"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.addCleanup(self.folder.cleanup)

    def stub(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def nvcc(self, folder, version):
        return self.stub(folder / "nvcc", f'echo "Cuda compilation tools, release {version}, V{version}.61"\n')

    def bash(self, script, **environment):
        libraries = "".join(f'source "{SCRIPTS}/lib/{name}.sh"\n' for name in ("common", "cuda", "needs", "build"))
        # hides /usr/local/cuda* of the machine that runs this test
        libraries = libraries.replace(f'source "{SCRIPTS}/lib/cuda.sh"\n',
                                      f'source <(sed "s|/usr/local/cuda|{self.root}/cuda|" "{SCRIPTS}/lib/cuda.sh")\n')
        done = subprocess.run(["bash", "-c", libraries + script], capture_output=True, text=True, check=False,
                              env={"PATH": str(self.bin), "HOME": str(self.root), **environment})
        return done.returncode, done.stdout + done.stderr


    def run_script(self, *words, cwd=None, **environment):
        done = subprocess.run(["bash", *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd or self.root,
                              env={"PATH": str(self.bin), "HOME": str(self.root), **environment})
        return done.returncode, done.stdout + done.stderr


class FindCuda(Machine):
    TELL = 'find_cuda; echo "nvcc=$NVCC version=$NVCC_VERSION why=$NO_CUDA_REASON gpu=$GPU"'

    def test_none(self):
        code, output = self.bash(self.TELL)
        self.assertEqual(code, 0, output)
        self.assertIn("nvcc= version= why=nvcc was not found", output)

    def test_an_old_one_is_no_use_and_is_named(self):
        old = self.nvcc(self.bin, "12.0")
        _, output = self.bash(self.TELL)
        self.assertIn(f"nvcc= version= why={old} is version 12.0", output)

    def test_an_old_one_on_path_does_not_hide_a_new_one(self):
        self.nvcc(self.bin, "11.8")
        new = self.nvcc(self.root / "home" / "bin", "13.0")
        _, output = self.bash(self.TELL, CUDA_HOME=str(self.root / "home"))
        self.assertIn(f"nvcc={new} version=13.0", output)

    def test_versioned_folders_newest_first(self):
        self.nvcc(self.root / "cuda-12.9" / "bin", "12.9")
        new = self.nvcc(self.root / "cuda-13.1" / "bin", "13.1")
        _, output = self.bash(self.TELL)
        self.assertIn(f"nvcc={new} version=13.1", output)

    def test_off_is_off_and_on_insists(self):
        self.nvcc(self.bin, "13.0")
        _, output = self.bash(self.TELL, BALLOT_CUDA="OFF")
        self.assertIn("nvcc= version= why=BALLOT_CUDA=OFF", output)
        (self.bin / "nvcc").unlink()
        code, output = self.bash(self.TELL, BALLOT_CUDA="ON")
        self.assertEqual(code, 1, output)

    def test_gpu(self):
        self.stub(self.bin / "nvidia-smi", "echo 'NVIDIA Something'\n")
        _, output = self.bash(self.TELL)
        self.assertIn("gpu=NVIDIA Something", output)
        for broken in ("exit 9", "echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9",
                       "echo 'No devices were found'"):
            self.stub(self.bin / "nvidia-smi", broken + "\n")
            _, output = self.bash(self.TELL)
            self.assertTrue(output.rstrip().endswith("gpu="), output)


class HostCompiler(Machine):
    """The compiler that nvcc takes for code of the host."""

    def choose(self, accepted, **environment):
        self.nvcc(self.bin, "12.4")
        with (self.bin / "nvcc").open("a") as nvcc:
            nvcc.write(f'for word; do case $word in {accepted}) exit 0 ;; esac; done\ncase "$*" in *ccbin*) exit 1 ;; esac\n')
        for compiler in ("g++", "g++-13", "g++-12"):
            self.stub(self.bin / compiler, "")
        return self.bash('find_cuda; need_compiler; choose_host_compiler; echo "CXX=$CXX"', **environment)

    def test_the_first_one_where_nvcc_accepts_it(self):
        self.assertEqual(self.choose("g++"), (0, "CXX=g++\n"))

    def test_an_older_one_where_nvcc_does_not(self):
        code, output = self.choose("g++-13")
        self.assertEqual(code, 0, output)
        self.assertIn("nvcc 12.4 does not accept g++: g++-13 compiles all", output)
        self.assertIn("CXX=g++-13\n", output)

    def test_none_is_told_with_a_way_out(self):
        code, output = self.choose("none")
        self.assertEqual(code, 1, output)
        self.assertIn("CXX=g++-13", output)
        self.assertNotIn("CXX=g++\n", output)

    def test_configure_passes_it_on(self):
        (self.bin / "rm").symlink_to(shutil.which("rm"))
        self.stub(self.bin / "cmake", 'echo "CXX=$CXX $*"\n')
        self.choose("g++-12")
        code, output = self.bash(f"find_cuda; need_compiler; mkdir() {{ :; }}; configure {self.root} -DA=1")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"CXX=g\+\+-12 .*-DCMAKE_CUDA_HOST_COMPILER=g\+\+-12")


class Configure(Machine):
    def test_a_failure_is_told_and_tried_again(self):
        """Also left of ||, where bash goes on after a command that failed."""
        for tool in ("rm", "mkdir"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stub(self.bin / "cmake", f"echo tried >>{self.root}/tries\nexit 1\n")
        (self.root / "build.ninja").touch()  # of an earlier success
        for tries in (1, 2):
            code, output = self.bash(f'CXX=g++ NVCC=; configure {self.root} -DA=1 || {{ echo failed; exit 3; }}; echo "went on"')
            self.assertEqual((code, output), (3, "failed\n"))
            self.assertEqual((self.root / "tries").read_text(), "tried\n" * tries)


class Ensure(Machine):
    def test_without_apt_it_lists_and_stops(self):
        code, output = self.bash("find_cuda; ensure compiler cmake fmt")
        self.assertEqual(code, 1, output)
        for package in ("g++", "cmake", "libfmt-dev", "no apt-get"):
            self.assertIn(package, output)

    def test_an_old_cmake_is_missing(self):
        self.stub(self.bin / "cmake", "echo cmake version 3.22.1\n")
        self.stub(self.bin / "ctest", "")
        code, output = self.bash("find_cuda; ensure cmake")
        self.assertEqual(code, 1, output)
        self.stub(self.bin / "cmake", "echo cmake version 3.100.0\n")
        code, output = self.bash("find_cuda; ensure cmake")
        self.assertEqual((code, output), (0, ""))

    def test_what_apt_does_not_offer_is_named(self):
        self.stub(self.bin / "apt-get", "exit 100\n")
        self.stub(self.bin / "apt-cache", "echo '  Candidate: (none)'\n")
        self.stub(self.bin / "sudo", '[ "$1" = -n ] && shift; exec "$@"\n')
        code, output = self.bash("find_cuda; ensure ninja")
        self.assertEqual(code, 1, output)
        self.assertIn("do not have: ninja-build", output)

    def test_installs_and_tries_again(self):
        self.stub(self.bin / "apt-get", f'[ "$2" = update ] || printf "#!/bin/sh\\necho 1.11" > {self.bin}/ninja\n'
                                        f'/bin/chmod +x {self.bin}/ninja 2>/dev/null; exit 0\n')
        self.stub(self.bin / "apt-cache", "echo '  Candidate: 1.11-1'\n")
        self.stub(self.bin / "sudo", '[ "$1" = -n ] && shift; exec "$@"\n')
        code, output = self.bash("find_cuda; ensure ninja && echo done")
        self.assertEqual(code, 0, output)
        self.assertIn("done", output)


    def test_what_a_need_finds_is_known_to_the_script(self):
        (self.bin / "python3").symlink_to(sys.executable)
        self.stub(self.bin / "clang-tidy-17", "echo version 17.0.6\n")
        _, output = self.bash('need_matplotlib() { PLOTTING_PYTHON=found; }; ensure tidy matplotlib; echo "$CLANG_TIDY $PLOTTING_PYTHON"')
        self.assertEqual(output, "clang-tidy-17 found\n")

    def test_the_package_is_chosen_when_the_lists_are_there(self):
        """clang-tidy-16 where apt offers it; before the update, it offers nothing."""
        self.stub(self.bin / "sudo", '[ "$1" = -n ] && shift; exec "$@"\n')
        for offered, package in (("clang-tidy-16", "clang-tidy-16"), ("clang-tidy", "clang-tidy")):
            (self.root / "lists").unlink(missing_ok=True)
            self.stub(self.bin / "apt-get", f'case "$2" in update) echo {offered} >{self.root}/lists ;; esac\necho "apt-get $*"\n')
            self.stub(self.bin / "apt-cache", f'[ "$2" = "$(cat {self.root}/lists 2>/dev/null)" ] && echo "  Candidate: 1" || '
                                              'echo "  Candidate: (none)"\n')
            code, output = self.bash("ensure tidy")
            self.assertEqual(code, 1, output)  # this apt-get installs nothing
            self.assertRegex(output, rf"apt-get .* install {package}\n")


class Arguments(Machine):
    """Nothing is installed, built or made if the arguments are wrong."""

    def refused(self, code, said, script, *words, **environment):
        status, output = self.run_script(SCRIPTS / script, *words, BALLOT_BUILD="made", **environment)
        self.assertEqual(status, code, output)
        self.assertIn(said, output)
        self.assertFalse((self.root / "made").exists())

    def test_demo(self):
        self.refused(1, "no option of this script: --quiet", "demo", "--quiet")
        self.refused(1, "there is no file absent.npy", "demo", "absent.npy")
        self.refused(1, "--dtype needs a type", "demo", "--dtype")
        (self.root / "keys.raw").touch()
        self.refused(1, "raw numbers need --dtype", "demo", "keys.raw")

    def test_test(self):
        self.refused(1, "'sort' is no option (ctest would ignore it)", "test", "sort")
        self.refused(1, "--quick takes nothing but --since REVISION, not '-R'", "test", "--quick", "-R", "sort")
        self.refused(1, "--since wants a revision", "test", "--quick", "--since")

    def test_a_folder_that_cannot_be_written(self):
        for tool in ("mkdir", "stat"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        (self.root / "file").touch()
        status, output = self.run_script(SCRIPTS / "demo", BALLOT_BUILD="file/builds")
        self.assertEqual(status, 1, output)
        self.assertIn(f"{self.root}/file/builds/demo cannot be written: {self.root}/file belongs to", output)

    def test_by_a_link_and_without_their_parts(self):
        """A script that did not find its own folder would work in the caller's: scripts/format would format another project."""
        scripts = [file for file in SCRIPTS.iterdir() if file.is_file() and "/lib/common.sh" in file.read_text(encoding="utf-8")]
        self.assertGreater(len(scripts), 7)
        for script in scripts:
            link = self.root / f"link-to-{script.name}"
            link.symlink_to(script)
            code, output = self.run_script(link, "--help")
            self.assertEqual(code, 0, output)
            self.assertNotIn("No such file", output)
            alone = self.root / script.name
            alone.write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
            code, output = self.run_script(alone, "--help")
            self.assertNotEqual(code, 0, output)

    def test_from_elsewhere(self):
        for folder, script in ((ROOT, "scripts/demo"), (SCRIPTS, "./demo"), (self.root, SCRIPTS / "demo")):
            status, output = self.run_script(script, "--help", cwd=folder, CDPATH=".:/")
            self.assertEqual((status, output[:6]), (0, "Builds"), output)

    def test_format(self):
        self.refused(1, "no option of this script: -v", "format", "-v")
        self.refused(1, "there is no file absent.cu", "format", "--check", "absent.cu")

    def test_bench(self):
        for tool in ("realpath", "mkdir", "touch"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        for file in ("old.json", "results.html", "old.html", "file"):
            (self.root / file).write_text("old")
        for said, *words in (("it would replace the results of --baseline", "--output", "old.json", "--baseline", "./old.json"),
                             ("results.html is where --page writes its page", "--page", "--output=results.html"),
                             ("old.html is where --page writes its page", "--output=old.json", "--page", "--baseline=old.html"),
                             ("is a folder", "--output", self.root),
                             ("cannot be written", "--output=file/results.json"),
                             ("there is no file absent.json", "--baseline=absent.json")):
            self.refused(1, said, "bench", *words)

    def test_tidy_and_docs(self):
        self.refused(1, "no option of this script: --fast", "tidy", "--fast")
        self.refused(1, "there is no file absent.cu", "tidy", "--jobs", "2", "absent.cu")
        self.refused(77, "not run: there is no clang-tidy", "tidy", "--if-present")
        self.refused(1, "no option of this script: --fast", "docs", "--fast")

    def test_try_fresh(self):
        for said, *words in (("--debian 11", "--debian", "11"), ("--ubuntu 12", "--ubuntu=12"), ("--user nobody", "--user", "nobody"),
                             ("--cuda maybe", "--cuda", "maybe"), ("--cuda: unknown, or without", "--cuda"),
                             ("--fast: unknown", "--fast", "x"), ("bookworm: not an option", "bookworm"),
                             ("cannot read absent.gpg", "--ubuntu-keyring", "absent.gpg"),
                             ("--demo-only leaves out", "--demo-only", "--test-arguments", "-L emu")):
            self.refused(2, said, "try-fresh", *words)

    def test_try_fresh_needs_root(self):
        self.stub(self.bin / "id", "echo 1000\n")
        self.refused(1, "needs root", "try-fresh", "--debian", "12", "--work", self.root / "made")

    def test_try_fresh_needs_debootstrap(self):
        self.stub(self.bin / "id", "echo 0\n")
        self.refused(1, "needs debootstrap", "try-fresh", "--work", self.root / "made")


class Bench(Machine):
    def setUp(self):
        super().setUp()
        for tool in ("mkdir", "rm", "mv", "awk", "flock", "realpath"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.nvcc(self.bin, "13.0")
        for tool in ("g++", "ninja", "ctest"):
            self.stub(self.bin / tool, "")
        self.stub(self.bin / "cmake", "echo cmake version 3.30.0\n")
        self.stub(self.bin / "python3", f'exec {sys.executable} "$@"\n')

    def program(self, name, text):
        return self.stub(self.root / "build" / "bench" / "bench" / name, text)

    def bench(self, *words, **environment):
        return self.run_script(SCRIPTS / "bench", *words, BALLOT_BUILD=str(self.root / "build"), **environment)

    def test_a_program_that_only_lists_is_no_failure(self):
        """It writes no results."""
        for program, words in (("ballot_bench_grid", ("--grid", "--list")), ("ballot_bench", ("--benchmark_list_tests",))):
            self.program(program, 'echo "the names: $*"\n')
            code, output = self.bench(*words)
            self.assertEqual(code, 0, output)
            self.assertRegex(output, rf"the names: .* {words[-1]}\n")
            self.assertNotIn("Written:", output)

    def test_two_runs_do_not_take_each_others_results(self):
        """The second one is refused while the first one measures, and the first one's results stay."""
        results = {"context": {"gpu": "A GPU", "date": "2026-12-01"}, "grid": [
            {"case": "scan_i32", "n": 1000, "mode": "call", "us": {"ballot": 4, "cub": 5}}]}
        self.program("ballot_bench_grid", f"""[ -z "$SECOND" ] || {{ echo measured; exit 0; }}
            out=${{1#--out=}}; printf '%s' '{json.dumps(results)}' >"$out"
            SECOND=1 BALLOT_BUILD={self.root}/build bash {shlex.quote(str(SCRIPTS / "bench"))} --grid --output {self.root}/second.json >{self.root}/said 2>&1
            echo $? >>{self.root}/said\n""")
        code, output = self.bench("--grid", "--output", str(self.root / "first.json"))
        said = (self.root / "said").read_text()
        self.assertIn("another scripts/bench is under way", said)
        self.assertTrue(said.endswith("\n1\n"), said)
        self.assertEqual(code, 0, output)
        self.assertEqual(json.loads((self.root / "first.json").read_text()), results)
        self.assertFalse((self.root / "second.json").exists())


class Wheel(Machine):
    def test_old_pips_understand_it_and_relative_folders_are_the_callers(self):
        for tool in ("mkdir", "rm", "realpath"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.nvcc(self.bin, "13.0")
        for tool in ("g++", "ninja", "ctest"):
            self.stub(self.bin / tool, "")
        self.stub(self.bin / "cmake", "echo cmake version 3.30.0\n")
        self.stub(self.bin / "python3", 'case "$*" in *"pip wheel"*) echo "$*"; exit 9 ;; esac\n')
        code, output = self.run_script(SCRIPTS / "wheel", "-o", "wheels/new")
        self.assertEqual(code, 9, output)
        self.assertIn(f"--config-settings=build-dir={self.root}/wheels/new/build ", output)
        self.assertIn(f"-w {self.root}/wheels/new {ROOT}", output)
        self.assertNotIn(" -C ", output)

    def test_a_wheel_package_without_tags_is_not_taken(self):
        # Debian 12 has 0.38, which pip brings along.
        for tool in ("mkdir", "rm", "realpath", "mktemp", "tail", "uname", "ls", "touch"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.nvcc(self.bin, "13.0")
        for tool in ("g++", "ninja", "ctest"):
            self.stub(self.bin / tool, "")
        self.stub(self.bin / "cmake", "echo cmake version 3.30.0\n")
        self.stub(self.bin / "objdump", "echo '(GLIBC_2.34) a'; echo '(GLIBC_2.17) b'\n")
        self.stub(self.bin / "python3", f"""case "$*" in
            *"pip wheel"*) touch {self.root}/made/ballot_cuda-0.1.0-cp310-abi3-linux_x86_64.whl ;;
            *"pip install"*--target*wheel) touch {self.root}/installed ;;
            *"-m wheel tags"*) [ -e {self.root}/installed ] || exit 2; echo "tagged $*" ;;
            esac\n""")
        code, output = self.run_script(SCRIPTS / "wheel", "-o", "made")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, "tagged .*--platform-tag manylinux_2_34_")

    def test_pip_is_a_need(self):
        self.nvcc(self.bin, "13.0")
        for tool in ("g++", "ninja", "ctest"):
            self.stub(self.bin / tool, "")
        self.stub(self.bin / "cmake", "echo cmake version 3.30.0\n")
        self.stub(self.bin / "python3", 'case "$*" in *pip*) exit 1 ;; esac\n')
        code, output = self.run_script(SCRIPTS / "wheel")
        self.assertEqual(code, 1, output)
        self.assertIn("python3-pip", output)


class Docs(Machine):
    def test_the_reference_has_the_librarys_version(self):
        for tool in ("mkdir", "paste"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stub(self.bin / "python3", "")
        self.stub(self.bin / "doxygen", "")
        code, output = self.run_script(SCRIPTS / "docs", self.root / "reference")
        self.assertEqual(code, 0, output)
        numbers = re.findall(r"#define BALLOT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (ROOT / "primitives/ballot/version.hpp").read_text())
        self.assertIn(f'PROJECT_NUMBER = "{".".join(numbers)}"', (self.root / "reference" / "Doxyfile").read_text())


class Sanitize(Machine):
    """On a machine of stubs with a GPU: what runs, with which variables, and what counts as found."""

    def sanitize(self, outcome, *words):
        for tool in ("mkdir", "rm", "xargs", "wc", "awk", "cut", "realpath"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.nvcc(self.bin, "13.0")
        self.stub(self.bin / "nvidia-smi", "echo A GPU\n")
        self.stub(self.bin / "g++", "exec cat >/dev/null\n")
        self.stub(self.bin / "ninja", "")
        self.stub(self.bin / "cmake", "echo cmake version 3.30.0\n")
        self.stub(self.bin / "python3", f'case "$1" in -c) exit 0 ;; esac\nexec {sys.executable} "$@"\n')
        (self.root / "build" / "ci").mkdir(parents=True)
        program = self.stub(self.root / "program", "")
        twice = self.stub(self.root / "two_processes", '"$@"\n')
        tests = [{"name": "gpu.plain", "command": [str(program), "--source-file=*/a b.cu"]},
                 {"name": "gpu.variables", "command": [str(program)], "properties": [{"name": "ENVIRONMENT", "value": ["WAY=a b", "B=2"]}]},
                 {"name": "gpu.not_built"}, {"name": "gpu.by_script", "command": [str(program), str(self.root / "absent")]},
                 {"name": "gpu.distributed.threads", "command": [str(program)]},
                 {"name": "gpu.distributed.processes", "command": [str(twice), str(program), "all"]}]
        (self.root / "tests.json").write_text(json.dumps({"tests": tests}))
        self.stub(self.bin / "ctest", f"cat {self.root}/tests.json\n")
        self.stub(self.bin / "compute-sanitizer", f'echo "$* WAY=$WAY B=$B" >>{self.root}/ran\n{outcome}\n')
        code, output = self.run_script(SCRIPTS / "sanitize", "--tool", "memcheck", "-j", "1", *words, BALLOT_BUILD=str(self.root / "build"))
        ran = self.root / "ran"
        return code, output, ran.read_text().splitlines() if ran.exists() else []

    def test_programs_that_are_built_run_with_their_variables(self):
        code, output, ran = self.sanitize("exit 0")
        self.assertEqual(code, 0, output)
        options = "--tool memcheck --report-api-errors no --error-exitcode 1"
        self.assertEqual(ran, [f"{options} {self.root}/program --source-file=*/a b.cu WAY= B=", f"{options} {self.root}/program WAY=a b B=2",
                               f"{options} {self.root}/program all WAY= B="])
        self.assertIn("2 tests are left out: their programs are not built here", output)
        self.assertIn("Nothing found by memcheck in 3 tests; 0 tests did not run.", output)

    def test_not_run_is_no_finding(self):
        code, output, _ = self.sanitize('[ -z "$WAY" ] || exit 77')
        self.assertEqual(code, 0, output)
        self.assertIn("in 2 tests; 1 tests did not run.", output)

    def test_findings(self):
        code, output, _ = self.sanitize("exit 1", "-R", "plain")
        self.assertEqual(code, 1, output)
        self.assertIn("memcheck: gpu.plain, see ", output)
        self.assertIn("FAILED: memcheck", output)

    def test_needs_are_those_of_all_tests(self):
        """The preset ci builds the command too."""
        for script in ("test", "sanitize"):
            self.assertIn('ensure "${NEEDS_OF_TESTS[@]}"\n', (SCRIPTS / script).read_text())


class TestScript(Machine):
    def test_the_account_takes_arguments_of_ctest(self):
        for tool in ("mkdir", "rm", "awk", "tail"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stub(self.bin / "g++", "exec cat >/dev/null\n")
        self.stub(self.bin / "ninja", "")
        self.stub(self.bin / "cmake", "echo cmake version 3.30.0\n")
        self.stub(self.bin / "python3", f'case "$1" in -c) exit 0 ;; esac\nexec {sys.executable} "$@"\n')
        results = self.root / "build" / "ci" / "test-results"
        results.mkdir(parents=True)
        (self.root / "tests.json").write_text(json.dumps({"tests": [
            {"name": f"{kind}.x", "properties": [{"name": "LABELS", "value": [kind]}]} for kind in Account.KINDS]}))
        self.stub(self.bin / "ctest", f"""case "$*" in
          *show-only*) cat {self.root}/tests.json ;;
          *) echo '<testsuite><testcase name="emu.x" status="run"/></testsuite>' >{results}/junit.xml ;;
        esac\n""")
        code, output = self.run_script(SCRIPTS / "test", "-L", "emu", BALLOT_BUILD=str(self.root / "build"), BALLOT_CUDA="OFF")
        self.assertEqual(code, 0, output)
        self.assertIn("left out by: ctest -L emu\n", output)
        self.assertIn("All that ran passed.", output)


class Format(Machine):
    def test_a_copy_without_git_has_the_same_sources(self):
        for tool in ("find", "realpath"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "--", "*.cuh", "*.hpp", "*.cu", "*.cpp", "*.h"], capture_output=True, text=True, check=False)
        if listed.returncode or not listed.stdout:
            self.skipTest("no git here")
        copy = self.root / "copy"
        (copy / "scripts" / "lib").mkdir(parents=True)
        for script in ("format", "lib/common.sh"):
            shutil.copy(SCRIPTS / script, copy / "scripts" / script)
        sources = listed.stdout.split()
        for path in (*sources, "build/a.cpp", "build-other/b.cpp", ".hidden/c.cpp"):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).touch()
        self.stub(self.bin / "clang-format-16", f'case $1 in --version) echo version 16.0.6 ;; *) echo "$@" >{self.root}/formatted ;; esac\n')
        code, output = self.run_script(copy / "scripts" / "format")
        self.assertEqual(code, 0, output)
        self.assertEqual(sorted((self.root / "formatted").read_text().split()[1:]), sorted(sources))


    def test_a_program_that_fails_is_no_agreement(self):
        for tool in ("find", "realpath", "uniq", "awk"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        (self.root / "a.cu").touch()
        for does, code, says in (("exit 0", 0, "1 files agree"), ("echo 'a.cu:1:2: error: code should be' >&2; exit 1", 1, "format: a.cu: 1 places"),
                                 ("echo 'Error reading .clang-format' >&2; exit 1", 1, "Error reading .clang-format")):
            self.stub(self.bin / "clang-format-16", f"case $1 in --version) echo version 16.0.6 ;; *) {does} ;; esac\n")
            done, output = self.run_script(SCRIPTS / "format", "--check", "a.cu")
            self.assertEqual(done, code, output)
            self.assertIn(says, output)

    def test_files_that_are_removed_are_not_formatted(self):
        for tool in ("find", "realpath", "git"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        copy = self.root / "copy"
        (copy / "scripts" / "lib").mkdir(parents=True)
        for script in ("format", "lib/common.sh"):
            shutil.copy(SCRIPTS / script, copy / "scripts" / script)
        for file in ("kept.cu", "removed.cu"):
            (copy / file).touch()
        for words in (("init", "-q"), ("add", ".")):
            subprocess.run(["git", "-C", copy, *words], check=True)
        (copy / "removed.cu").unlink()
        self.stub(self.bin / "clang-format-16", f'case $1 in --version) echo version 16.0.6 ;; *) echo "$@" >{self.root}/formatted ;; esac\n')
        code, output = self.run_script(copy / "scripts" / "format")
        self.assertEqual(code, 0, output)
        self.assertEqual((self.root / "formatted").read_text(), "-i kept.cu\n")


class MutationTest(Machine):
    def script(self, **environment):
        self.stub(self.bin / "g++", "")
        done = subprocess.run([sys.executable, SCRIPTS / "mutation-test", "--only", "no-such-*", "--only", next(iter(self.mutants()))],
                              capture_output=True, text=True, check=False, cwd=self.root,
                              env={"PATH": str(self.bin), "BALLOT_BUILD": "relative", **environment})
        return done.returncode, done.stdout + done.stderr

    def mutants(self):
        listed = subprocess.run([sys.executable, SCRIPTS / "mutation-test", "--list"], capture_output=True, text=True, check=True)
        return [line.split()[0] for line in listed.stdout.splitlines()]

    def test_without_ninja_it_says_so(self):
        code, output = self.script()
        self.assertEqual(code, 1, output)
        self.assertEqual(output, "mutation-test: there is no ninja here (Debian, Ubuntu: apt-get install ninja-build g++)\n")

    def test_a_relative_folder_is_the_callers(self):
        """ninja runs in the folder for builds, where a relative path would lead elsewhere."""
        self.stub(self.bin / "ninja", "exit 1\n")
        code, output = self.script()
        self.assertEqual(code, 1, output)
        self.assertIn("the tests do not compile", output)
        text = (self.root / "relative" / "mutation" / "build.ninja").read_text()
        self.assertIn(f"-I{self.root.resolve()}/relative/mutation/library/primitives", text)

    def test_spaces_in_names_of_folders(self):
        self.stub(self.bin / "ninja", "exit 1\n")
        code, output = self.script(BALLOT_BUILD="my builds")
        self.assertIn("the tests do not compile", output)
        text = (self.root / "my builds" / "mutation" / "build.ninja").read_text()
        self.assertIn(f" '-I{self.root.resolve()}/my builds/mutation/library/primitives' ", text)
        copy = self.root / "a copy: of 2$"  # of what the script reads
        for folder in ("scripts", "tests/mutation", "tests/support", "tests/algorithms", "emulator", "primitives", "algorithms"):
            shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([sys.executable, copy / "scripts" / "mutation-test", "--only", next(iter(self.mutants()))], check=False, capture_output=True,
                       env={"PATH": str(self.bin), "BALLOT_BUILD": str(self.root / "other")})
        text = (self.root / "other" / "mutation" / "build.ninja").read_text()
        self.assertIn(": compile " + f"{copy}/emulator/atomics.cpp\n".replace("$", "$$").replace(" ", "$ ").replace(":", "$:"), text)
        self.assertIn(f" -include '{copy}/tests/mutation/switch.hpp' ".replace("$", "$$"), text)


class Account(unittest.TestCase):
    KINDS = ("emu", "gpu", "cli", "install", "house")

    def account(self, outcomes, kinds=KINDS, extra=()):
        """outcomes: kind -> pass, fail, skip, told (skipped for a reason), lost or None (was not selected)"""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            tests = [{"name": f"{kind}.x", "properties": [{"name": "LABELS", "value": [kind]}]} for kind in kinds]
            (folder / "tests.json").write_text(json.dumps({"tests": tests}))
            cases = {
                "pass": '<testcase name="{0}.x" status="run"/>',
                "fail": '<testcase name="{0}.x" status="fail"><failure message=""/></testcase>',
                "skip": '<testcase name="{0}.x" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>',
                "told": '<testcase name="{0}.x" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                        '<system-out>some\nnot run: there is no clang-tidy\n</system-out></testcase>',
                "lost": '<testcase name="{0}.x" status="notrun"><skipped message="Unable to find executable"/></testcase>',
            }
            lines = "".join(cases[how].format(kind) for kind, how in outcomes.items() if how)
            (folder / "junit.xml").write_text(f"<testsuite>{lines}</testsuite>")
            done = subprocess.run([sys.executable, SCRIPTS / "lib" / "account.py", folder, *extra],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def test_all_passed(self):
        code, output = self.account(dict.fromkeys(self.KINDS, "pass"))
        self.assertEqual(code, 0, output)

    def test_skipped_is_not_run(self):
        code, output = self.account({**dict.fromkeys(self.KINDS, "pass"), "gpu": "skip"}, extra=("--no-gpu", "no GPU here"))
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"gpu +0 +0 +1 .*not run: no GPU here")

    def test_what_did_not_run_for_another_reason_is_named_with_its_own(self):
        code, output = self.account({**dict.fromkeys(self.KINDS, "pass"), "house": "told", "install": "skip"}, extra=("--no-gpu", "no GPU here"))
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"house +0 +0 +1 .*; not run: house\.x \(there is no clang-tidy\)\n")
        self.assertRegex(output, r"install +0 +0 +1 .*; not run: install\.x\n")
        self.assertNotIn("no GPU here", output)

    def test_a_gpu_that_is_there_is_not_denied(self):
        _, output = self.account({**dict.fromkeys(self.KINDS, "pass"), "gpu": "told"})
        self.assertRegex(output, r"gpu +0 +0 +1 .*; not run: gpu\.x \(there is no clang-tidy\)\n")

    def test_failed_and_lost_are_failures(self):
        for how in ("fail", "lost"):
            code, output = self.account({**dict.fromkeys(self.KINDS, "pass"), "cli": how})
            self.assertEqual(code, 1, output)
            self.assertIn("failed: cli.x", output)

    def test_a_kind_that_vanished_is_a_failure(self):
        kinds = ("gpu", "cli", "install", "house")
        code, output = self.account(dict.fromkeys(kinds, "pass"), kinds)
        self.assertEqual(code, 1, output)
        self.assertIn("no tests at all of: emu", output)

    def test_no_nvcc_is_no_failure(self):
        kinds = ("emu", "cli", "install", "house")
        code, output = self.account(dict.fromkeys(kinds, "pass"), kinds, ("--no-cuda", "nvcc was not found"))
        self.assertEqual(code, 0, output)
        self.assertIn("not built: nvcc was not found", output)

    def test_nothing_ran_is_a_failure(self):
        code, output = self.account({})
        self.assertEqual(code, 1, output)


class Syntax(unittest.TestCase):
    def test_bash_reads_every_script(self):
        scripts = [p for p in [*SCRIPTS.iterdir(), *(SCRIPTS / "lib").iterdir(), ROOT / ".ci" / "run"]
                   if p.is_file() and (p.suffix == ".sh" or b"bash" in p.read_bytes()[:30])]
        self.assertGreater(len(scripts), 5)
        for script in scripts:
            subprocess.run(["bash", "-n", script], check=True)
            if script.suffix != ".sh":
                self.assertTrue(os.access(script, os.X_OK), script)


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def npy(self, descr, items):
        header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': (3,), }}".encode()
        path = self.root / "items.npy"
        path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + items)
        return path

    def test_the_median_of_every_type_or_none(self):
        self.assertEqual(demo.npy_item(self.npy("<f2", struct.pack("<3e", 1, 2.5, 3)), 0.5), 2.5)
        self.assertEqual(demo.npy_item(self.npy(">i4", struct.pack(">3i", 1, 2, 3)), 0.5), 2)
        for descr, size in (("|b1", 1), ("<M8[D]", 8), ([("a", "<i4")], 4)):
            self.assertIsNone(demo.npy_item(self.npy(descr, bytes(3 * size)), 0.5), descr)

    def test_files_of_one_name_have_results_of_their_own(self):
        taken = {self.root / "b.sorted.npy"}  # an input
        stems = [demo.free_stem(self.root, pathlib.Path(path), taken).name for path in ("x/a.npy", "y/a.npy", "a.txt", "b.npy")]
        self.assertEqual(stems, ["a", "a-2", "a-3", "b-2"])

    def test_a_type_without_a_median_is_sorted_alone(self):
        report = {"engine": "cpu", "n": 3, "dtype": None, "verified": True, "seconds": {"compute": 1, "total": 2}}
        made = self.npy("|b1", b"\0\1\1")
        ballot = self.root / "ballot"
        ballot.write_text(f"""#!/bin/sh\ncat {made} >"$4"; echo '{json.dumps(report)}' >&2\n""")
        ballot.chmod(0o755)
        done = subprocess.run([sys.executable, SCRIPTS / "lib" / "demo.py", "--ballot", ballot, "--work", self.root / "work", made],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("There is no median to compare with", done.stdout)
        self.assertNotIn("None", done.stdout)

    def test_an_option_between_files(self):
        ballot = self.root / "ballot"
        ballot.write_text("#!/bin/sh\necho '{\"error\": \"'\"$2\"' came first\"}' >&2\nexit 1\n")
        ballot.chmod(0o755)
        files = [self.root / name for name in ("a.raw", "b.raw")]
        for file in files:
            file.write_bytes(b"four")
        done = subprocess.run([sys.executable, SCRIPTS / "lib" / "demo.py", "--ballot", ballot, "--work", self.root / "work", files[0],
                               "--dtype", "u32", files[1]], capture_output=True, text=True, check=False)
        self.assertIn(f"{files[0]} came first", done.stderr)

    def test_a_type_is_for_files_that_do_not_say_theirs(self):
        for name, wanted in (("a.npy", []), ("a.raw", ["--dtype", "u32"]), ("a.txt", ["--dtype", "u32"])):
            with unittest.mock.patch.object(demo, "run", side_effect=SystemExit) as run, self.assertRaises(SystemExit):
                demo.show(unittest.mock.Mock(), pathlib.Path(name), "u32", None, self.root / "a")
            self.assertEqual([word for word in run.call_args[0][0] if word in ("--dtype", "u32")], wanted)


class Digests(unittest.TestCase):
    """A compiling test that passed is not repeated while its files are the same: these are all the files that it reads."""

    def tests(self):
        """(name, files, script) of each, as tests/house/CMakeLists.txt adds it"""
        text = (ROOT / "tests/house/CMakeLists.txt").read_text()
        for name, files, command in re.findall(r"ballot_add_compiling_test\((\S+)\s+FILES ([^$]*?)\s+COMMAND ([^)]*)", text):
            script = re.search(r"\$\{(CMAKE_CURRENT|PROJECT)_SOURCE_DIR\}/(\S+)", command)
            yield name, files.split(), ("tests/house/" if script[1] == "CMAKE_CURRENT" else "") + script[2]

    def test_the_script_and_the_folders_that_it_names_are_among_the_files(self):
        at_the_top = {path.name for path in ROOT.iterdir()} - {"build", "cmake"}  # also a language and a program
        tests = list(self.tests())
        self.assertGreaterEqual(len(tests), 9)
        for name, files, script in tests:
            read = {script, *(at_the_top & set(re.findall(r'"([\w.-]+)"', (ROOT / script).read_text())))}
            read |= set(re.findall(r"-I\{ROOT\}/(\w+)", (ROOT / script).read_text()))
            missing = [path for path in sorted(read) if not any(path == file or path.startswith(file + "/") for file in files)]
            self.assertEqual(missing, [], name)
            for file in files:
                self.assertTrue((ROOT / file).exists(), f"{name}: {file}")

    def test_compiled_python_does_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "files" / "__pycache__").mkdir(parents=True)
            (folder / "files" / "a.py").touch()
            command = [sys.executable, ROOT / "tests/unless_unchanged.py", folder / "done", folder / "files", "--", "true"]
            for text, said in (("1", ""), ("2", "passed before with the same files")):
                (folder / "files" / "__pycache__" / "a.pyc").write_text(text)
                self.assertIn(said, subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            (folder / "files" / "a.py").write_text("changed")
            self.assertEqual(subprocess.run(command, capture_output=True, text=True, check=True).stdout, "")


class Quick(unittest.TestCase):
    """The distances of scripts/test --quick."""

    def test_the_nearest_tests_of_a_kernel_come_first(self):
        tests = {f"emu_{flavor}.{name}": [f"tests_emu_{name}", f"--{flavor}", f"--source-file=*/tests/algorithms/{name}.cu"]
                 for flavor in ("plain", "checked") for name in ("sort", "radix_steps", "unique", "batched_scan")}
        near = [name for name, _ in quick.kernel_tests(tests, {"algorithms/ballot/sort.cuh"})]
        self.assertEqual(sorted(near[:2]), ["emu_plain.radix_steps", "emu_plain.sort"])
        self.assertEqual(sorted(near[2:4]), ["emu_checked.radix_steps", "emu_checked.sort"])
        self.assertFalse([name for name in near if "unique" in name or "batched" in name])
        # A test file, which only its own tests use; a file that nothing includes; a file that everything includes.
        self.assertEqual(len(quick.kernel_tests(tests, {"tests/algorithms/unique.cu"})), 2)
        self.assertEqual(quick.kernel_tests(tests, {"README.md"}), [])
        self.assertEqual(len(quick.kernel_tests(tests, {"primitives/ballot/core/namespace.hpp"})), len(tests))


if __name__ == "__main__":
    unittest.main()
