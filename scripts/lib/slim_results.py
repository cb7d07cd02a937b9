# SPDX-License-Identifier: Apache-2.0
"""Writes Google Benchmark's results as they are kept in the repository: slim_results.py FROM TO.

Each repetition is a line. Left out: aggregates that follow from the repetitions (mean, median, deviations), fields that
repeat a name, and data of the host (its name, paths, caches, load).
"""
import json
import sys

LEFT_OUT = {"name", "per_family_instance_index", "threads", "cpu_time", "repetitions"}
OF_THE_HOST = {"host_name", "executable", "caches", "load_avg", "library_build_type", "cpu_scaling_enabled", "mhz_per_cpu",
               "num_cpus"}

with open(sys.argv[1], encoding="utf-8") as file:
    results = json.load(file)
for key in ("context", "benchmarks"):
    if key not in results:
        sys.exit(f"slim_results: {sys.argv[1]}: the field \"{key}\" is missing")
runs = [{key: value for key, value in run.items() if key not in LEFT_OUT or run.get("error_occurred")}
        for run in results["benchmarks"] if run.get("run_type") == "iteration"]
context = {key: value for key, value in results["context"].items() if key not in OF_THE_HOST}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write('{"context": ' + json.dumps(context, indent=1) + ',\n"benchmarks": [\n')
    file.write(",\n".join(json.dumps(run) for run in runs))
    file.write("\n]}\n")
