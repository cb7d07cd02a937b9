# SPDX-License-Identifier: Apache-2.0
"""nvcc's host pass of a source, without code: the preprocessor, cudafe++ and the host compiler, of nvcc's own commands. It takes
seconds where the device's code takes minutes. It finds what is wrong with the host's half, which has the adapters' choices."""
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = r"(?:\S*/)?(?:gcc|g\+\+|c\+\+)(?:-\d+)? "


def run(command, **options):
    return subprocess.run(command, check=False, capture_output=True, text=True, **options)


def flags(folders=()):
    """For sources that include an adapter. folders: where CUB's headers are, before nvcc's own."""
    ours = [ROOT / folder for folder in ("primitives", "algorithms", "adapters")]
    return ["-std=c++20", "--extended-lambda", "-arch=sm_90", *(f"-I{folder}" for folder in [*folders, *ours])]


def check(options, source, nvcc="nvcc"):
    """What the compilers say, if they refuse it; else nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        plan = run([nvcc, "--dryrun", "--keep", "--keep-dir", scratch, "-c", *options, str(source), "-o", f"{scratch}/o.o"])
        steps = [line[3:] for line in plan.stderr.splitlines() if line.startswith("#$ ")]
        first = [s for s in steps if re.match(COMPILER, s.replace('"', "")) and " -E " in s and "cpp4.ii" in s]
        front = [s for s in steps if "cudafe++" in s.split('"')[0] + s]
        host = [s for s in steps if re.match(COMPILER, s.replace('"', "")) and " -c " in s and "cudafe1.cpp" in s]
        if not (first and front and host):
            return "nvcc --dryrun gives no steps:\n" + plan.stderr[-2000:]
        stub = re.search(r"([\w.]+)\.cudafe1\.cpp", host[-1])[1]
        pathlib.Path(scratch, f"{stub}.cudafe1.stub.c").write_text("", encoding="utf-8")
        tools = pathlib.Path(shutil.which(nvcc)).resolve().parent
        for step in (first[0], front[0], host[-1].replace(" -c ", " -fsyntax-only -w ")):
            done = run(f"export LC_ALL=C; PATH={shlex.quote(str(tools))}:$PATH; {step}", shell=True)
            if done.returncode != 0:
                return done.stdout + done.stderr
    return ""


def has_header(options, header, nvcc="nvcc"):
    return run([nvcc, "-E", *options, "-x", "cu", "-", "-o", "/dev/null"],
               input=f"#if !__has_include(<{header}>)\n#error no\n#endif\n").returncode == 0


def first_errors(text, count=3):
    lines = [line for line in text.splitlines() if "error" in line]
    return "\n".join("    " + line[:300] for line in (lines or text.splitlines())[:count])
