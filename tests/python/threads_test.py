# SPDX-License-Identifier: Apache-2.0
"""First calls of several threads at once: no thread waits for another one forever, and none takes away what another one uses. With the fake library."""
import os
import subprocess
import sys
import unittest

HEAD = """
import builtins, sys, threading, time
import ballot
from ballot import _core as core
import errors_test
said = []

def both(call):
    threads = [threading.Thread(target=call, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        if thread.is_alive():
            print("waits", flush=True)
"""


class ThreadsTest(unittest.TestCase):
    def prints(self, code):
        done = subprocess.run([sys.executable, "-c", HEAD + code + "\nprint('end', flush=True)\nimport os\nos._exit(0)"], cwd=os.path.dirname(os.path.abspath(__file__)),
                              env=os.environ, capture_output=True, text=True, timeout=40)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_the_first_call_imports(self):
        # The import lets other threads in, as reading the file does.
        code = """
del sys.modules["ballot._frameworks"]
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "ballot._frameworks":
            time.sleep(0.3)
        return None
sys.meta_path.insert(0, Slow())
import faulthandler
faulthandler.dump_traceback_later(20, exit=True)
def call():
    try:
        ballot.sort([1])
    except TypeError:
        said.append("refused")
both(call)
faulthandler.cancel_dump_traceback_later()
print(*said)
"""
        self.assertEqual(self.prints(code), ["refused", "refused", "end"])

    def test_the_first_counted_result(self):
        code = """
errors_test.ErrorsTest('test_types').setUp()
imported = builtins.__import__
def slow(name, *others, **further):
    if name == "ballot._counted":
        time.sleep(0.3)
    return imported(name, *others, **further)
builtins.__import__ = slow
import faulthandler
faulthandler.dump_traceback_later(20, exit=True)
both(lambda: said.append(type(ballot.unique(errors_test.Array())).__name__))
faulthandler.cancel_dump_traceback_later()
print(*said)
"""
        self.assertEqual(self.prints(code), ["Counted", "Counted", "end"])

    def test_a_framework_stays_while_it_is_used(self):
        # Another thread takes the type out of the dict, in the middle of a call.
        code = """
import gc
class Parts(errors_test.Described):
    def describe(self, x, what):
        frameworks.by_type[errors_test.Array] = core.Framework("other", errors_test.Described())
        gc.collect()
        return super().describe(x, what)
    def empty(self, *arguments):
        print("used", flush=True)
        return super().empty(*arguments)
    def __del__(self):
        print("freed", flush=True)
from ballot import _frameworks as frameworks
frameworks.by_type[errors_test.Array] = core.Framework("other", Parts())
ballot.sort(errors_test.Array())
"""
        self.assertEqual(self.prints(code), ["used", "used", "freed", "end"])

    def test_the_first_framework_stays(self):
        # The second thread comes and goes while the first one makes a framework of the same kind.
        code = """
from ballot import _frameworks as frameworks
made = []
def make():
    if not made:
        made.append(None)
        frameworks.framework_of(errors_test.Array(), "x")
        made.append(frameworks.by_type[errors_test.Array])
    return core.Framework("other", errors_test.Described())
frameworks._MAKERS["errors_test"] = make
frameworks.framework_of(errors_test.Array(), "x")
print(frameworks.by_type[errors_test.Array] is made[1])
"""
        self.assertEqual(self.prints(code), ["True", "end"])


if __name__ == "__main__":
    unittest.main()
