#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check-layers must accept a clean tree, and catch one planted violation of each kind: a check that has never
failed is suspect."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-layers"

CLEAN = {
    "primitives/ballot/core/error.hpp": "#pragma once\n#include <stdexcept>\n",
    "primitives/ballot/simt/simt.cuh": '#pragma once\n#include <ballot/core/error.hpp>\n'
                                       'inline unsigned vote(int p) { asm(""); return __ballot_sync(~0u, p); }\n',
    "primitives/ballot/simt/host/fiber.hpp": "#pragma once\n#include <ballot/emulator/machine.hpp>\n",
    "primitives/ballot/warp/scan.cuh": "#pragma once\n// __ballot_sync(mask, p), asm, thrust::sort and printf(x)\n"
                                       "#include <ballot/simt/simt.cuh>\n/* exit(1);\n#include <ballot/sort.cuh> */\n"
                                       'inline const char* text = "__syncthreads() and abort()";\n'
                                       "inline int million = 1'000'000;\n",
    "primitives/ballot/block/scan.cuh": "#pragma once\n#include <ballot/warp/scan.cuh>\n",
    "primitives/ballot/block/shape.hpp": "#pragma once\n",
    "primitives/ballot/device/look_back.cuh": "#pragma once\n#include <ballot/block/scan.cuh>\n",
    "primitives/ballot/reduce.cuh": "#pragma once\n#include <ballot/device/look_back.cuh>\n",
    "primitives/ballot/scan.cuh": "#pragma once\n#include <ballot/device/look_back.cuh>\n",
    "algorithms/ballot/detail/sort_kernel.cuh": "#pragma once\n#include <ballot/scan.cuh>\n",
    "algorithms/ballot/detail/common/zip.cuh": "#pragma once\n#include <ballot/scan.cuh>\n",
    "algorithms/ballot/detail/partition/kernel.cuh": "#pragma once\n#include <ballot/detail/common/zip.cuh>\n",
    "algorithms/ballot/sort.cuh": "#pragma once\n#include <ballot/detail/sort_kernel.cuh>\n",
    "algorithms/ballot/split.cuh": "#pragma once\n#include <ballot/detail/sort_kernel.cuh>\n",
    "algorithms/ballot/ballot.cuh": "#pragma once\n#include <ballot/sort.cuh>\n#include <ballot/split.cuh>\n",
    "distributed/ballot/distributed/sort.cuh": "#pragma once\n#include <ballot/sort.cuh>\n#include <nccl.h>\n",
    "emulator/ballot/emulator/machine.hpp": "#pragma once\n#include <ballot/core/error.hpp>\n#include <cstdio>\n",
    "apps/main.cpp": '#include <cstdio>\n#include "files/input.hpp"\n#include <ballot/ballot.cuh>\n#include <thrust/sort.h>\n',
    "apps/base/failure.hpp": "#pragma once\n",
    "apps/files/input.hpp": '#pragma once\n#include "base/failure.hpp"\n',
    "examples/step.cu": '#include <ballot/sort.cuh>\nvoid checked(cudaError_t);\nstruct buffer {\n  ~buffer() { (void)cudaFree(p); }\n'
                        '  void* p;\n};\nvoid step(void* p) {\n  if (cudaMalloc(&p, 4) != cudaSuccess || cudaMalloc(&p, 4) != cudaSuccess)\n'
                        '    return;\n  checked(cudaMemset(p, 0, 4));\n  cudaError_t e = cudaFree(p);\n  kernel<<<1, 32>>>(p,\n    1);\n'
                        '  checked(cudaGetLastError());\n}\n',
    "bench/sort.cu": "#include <cub/cub.cuh>\n#include <ballot/sort.cuh>\n",
}

WARP = "primitives/ballot/warp/scan.cuh"
SORT = "algorithms/ballot/sort.cuh"
PLANTED = [  # file, a line added to it, the rule that must fire
    ("primitives/ballot/core/error.hpp", "#include <ballot/simt/simt.cuh>", "upwards"),
    ("primitives/ballot/simt/simt.cuh", "#include <ballot/warp/scan.cuh>", "upwards"),
    (WARP, "#include <ballot/block/scan.cuh>", "upwards"),
    ("primitives/ballot/block/scan.cuh", "#  include <ballot/device/look_back.cuh>", "upwards"),
    ("primitives/ballot/device/look_back.cuh", "#include <ballot/scan.cuh>", "upwards"),
    ("primitives/ballot/reduce.cuh", "#include <ballot/scan.cuh>", "sideways"),
    ("primitives/ballot/scan.cuh", "#include <ballot/sort.cuh>", "upwards"),
    ("algorithms/ballot/detail/sort_kernel.cuh", "#include <ballot/sort.cuh>", "upwards"),
    ("algorithms/ballot/detail/partition/kernel.cuh", "#include <ballot/sort.cuh>", "upwards"),
    ("algorithms/ballot/detail/common/zip.cuh", "#include <ballot/detail/partition/kernel.cuh>", "upwards"),
    ("algorithms/ballot/detail/partition/kernel.cuh", "inline void f() { __syncthreads(); }", "intrinsic"),
    (WARP, "#include <ballot/emulator/machine.hpp>", "upwards"),
    ("emulator/ballot/emulator/machine.hpp", "#include <ballot/warp/scan.cuh>", "upwards"),
    ("algorithms/ballot/split.cuh", "#include <ballot/sort.cuh>", "sideways"),
    (SORT, "#include <ballot/ballot.cuh>", "sideways"),
    (SORT, "#include <ballot/distributed/sort.cuh>", "upwards"),
    ("distributed/ballot/distributed/sort.cuh", "inline void f() { while (cudaEventQuery(e)) {} }", "synchronises"),
    ("primitives/ballot/block/shape.hpp", "#include <ballot/warp/scan.cuh>", "suffix"),
    ("apps/base/failure.hpp", '#include "files/input.hpp"', "upwards"),
    ("apps/files/input.hpp", '#include "input.hpp"', "unknown"),
    (SORT, "#include <ballot/missing.cuh>", "unknown"),
    (SORT, '#include "detail/sort_kernel.cuh"', "full-path"),
    (WARP, "inline int lanes() { return __popc(__activemask()); }", "intrinsic"),
    (WARP, "inline void f(int* p) { atomicAdd (p, 1); }", "intrinsic"),
    (WARP, "inline void f() { __syncthreads(); }", "intrinsic"),
    (WARP, "inline int f(int v) { return __shfl_up_sync(~0u, v, 1); }", "intrinsic"),
    (WARP, "namespace cg = cooperative_groups;", "intrinsic"),
    (WARP, 'inline void f() { asm volatile("bar.sync 0;"); }', "ptx"),
    (WARP, "__shared__ int words[32];", "kernel-dialect"),
    (SORT, "#if __CUDA_ARCH__ >= 900\n#endif", "kernel-dialect"),
    (SORT, "#include <cub/device/device_scan.cuh>", "peers"),
    (SORT, "#include <thrust/sort.h>", "peers"),
    (SORT, "inline void f(int* p) { thrust::sort(p, p); }", "peers"),
    (SORT, "#include <iostream>", "prints"),
    (SORT, "#include <fmt/format.h>", "prints"),
    (SORT, 'inline void f() { printf("%d", 1); }', "prints"),
    ("primitives/ballot/simt/simt.cuh", 'inline void f() { std::cerr << 1; }', "prints"),
    (SORT, "inline void f() { std::exit(1); }", "exits"),
    (SORT, "inline void f() { abort(); }", "exits"),
    (SORT, "inline void f() { cudaStreamSynchronize(0); }", "synchronises"),
    (SORT, "inline void f() { simt::synchronize(stream); }", "synchronises"),
    (SORT, "int a; // layers-allow: exits", "allow"),
    ("examples/step.cu", "void f(int* p) { cudaFree(p); }", "ignored-status"),
    ("examples/step.cu", "void f(int* p) { if (p) cudaFree(p); }", "ignored-status"),
    ("examples/step.cu", "void f(int* p) { if (!p) return; else cudaFree(p); }", "ignored-status"),
    ("bench/sort.cu", "void f(int* p) { cudaFree(p); }", "ignored-status"),
    ("examples/step.cu", "void f() { ballot_sort(gpu, in, out, 0); }", "ignored-status"),
    ("examples/step.cu", "void f(int* p) { kernel<<<1, 32>>>(p); p = nullptr; }", "ignored-status"),
]


def run(extra=()):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in CLEAN.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for name, change in extra:
            (root / name).write_text(change(CLEAN.get(name, "")))
        done = subprocess.run([sys.executable, CHECK, "--root", root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class CheckLayers(unittest.TestCase):
    def test_clean_tree_passes(self):
        code, output = run()
        self.assertEqual(code, 0, output)

    def test_each_planted_violation_is_caught(self):
        for name, line, rule in PLANTED:
            with self.subTest(file=name, line=line):
                code, output = run([(name, lambda text, line=line: text + line + "\n")])
                self.assertEqual(code, 1, output)
                at = CLEAN[name].count("\n") + 1
                self.assertIn(f"{name}:{at}: [{rule}]", output)

    def test_missing_pragma_once_is_caught(self):
        code, output = run([(WARP, lambda text: text.replace("#pragma once", "// #pragma once"))])
        self.assertEqual(code, 1, output)
        self.assertIn("[pragma-once]", output)

    def test_an_excuse_with_a_reason_is_heard(self):
        for excuse in ("f(); synchronize(s);  // layers-allow: synchronises, the caller asked for the value",
                       "// layers-allow: synchronises, the caller asked for the value\nsynchronize(s);"):
            code, output = run([(SORT, lambda text, excuse=excuse: text + excuse + "\n")])
            self.assertEqual(code, 0, output)
        code, output = run([(SORT, lambda text: text + "abort();  // layers-allow: synchronises, the wrong rule\n")])
        self.assertEqual(code, 1, output)

    def test_nothing_to_check_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, CHECK, "--root", folder], capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
