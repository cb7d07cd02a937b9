# SPDX-License-Identifier: Apache-2.0
"""Arrow and Parquet. pyarrow, another reader and writer of them, makes the files and reads what was written; the order
is that of Python's sort. Without the plug-in (BALLOT_TEST_ARROW) or pyarrow (of BALLOT_TEST_PYARROW) only the errors
are tested."""

import datetime
import decimal
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest

import command

HAS_PLUGIN = bool(os.environ.get("BALLOT_TEST_ARROW"))
sys.path.append(os.environ.get("BALLOT_TEST_PYARROW") or os.curdir)
try:
    import pyarrow as pa
    import pyarrow.ipc
    import pyarrow.parquet
except ImportError:
    pa = None

KINDS = ("arrow", "arrows", "parquet")
ROWS = 1200


def typed_columns(rng, rows):
    """A column of each type that is read, with nulls, empty texts and the ends of ranges."""
    def some(make, type_, *ends):
        values = [None if rng.random() < 0.1 else make() for _ in range(rows)]
        for end in ends:
            values[rng.randrange(rows)] = end
        return pa.array(values, type_)

    def integer(bits, is_signed):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        return some(lambda: rng.randint(low, high), getattr(pa, f"{'' if is_signed else 'u'}int{bits}")(), low, high)

    def digits(low, high, scale, type_, *ends):
        return some(lambda: decimal.Decimal(rng.randint(low, high)).scaleb(-scale), type_, *ends)

    columns = {f"{'iu'[not is_signed]}{bits}": integer(bits, is_signed) for bits in (8, 16, 32, 64) for is_signed in (True, False)}
    words = ["", "a", "b\u00e9", "a longer text than twelve bytes", "q\"q", "c,d"]
    day = lambda: datetime.date(1890, 1, 1) + datetime.timedelta(rng.randrange(90000))
    columns |= {
        "f16": some(lambda: rng.randrange(-4096, 4096) / 64, pa.float16()),
        "f32": some(lambda: rng.randrange(-9999, 9999) / 8, pa.float32(), -math.inf, math.inf),
        "f64": some(lambda: rng.uniform(-1e9, 1e9), pa.float64(), -math.inf, 5e-324),
        "flag": some(lambda: rng.random() < 0.5, pa.bool_()),
        "text": some(lambda: rng.choice(words), pa.string()),
        "large": some(lambda: rng.choice(words), pa.large_string()),
        "view": some(lambda: rng.choice(words), pa.string_view()),
        "binary": some(lambda: rng.randbytes(rng.randrange(6)), pa.binary()),
        "fixed": some(lambda: rng.randbytes(3), pa.binary(3)),
        "word": some(lambda: rng.choice(words), pa.string()).dictionary_encode(),
        "day": some(day, pa.date32()),
        "day64": some(day, pa.date64()),
        "ts_s": some(lambda: rng.randrange(-10**9, 10**10), pa.timestamp("s")),
        "ts_us": some(lambda: rng.randrange(-10**15, 10**16), pa.timestamp("us")),
        "ts_zone": some(lambda: rng.randrange(-10**12, 10**13), pa.timestamp("ms", "Europe/Berlin")),
        "ts_ns": some(lambda: 1000 * rng.randrange(-10**15, 10**15), pa.timestamp("ns")),
        "clock": some(lambda: rng.randrange(86400000), pa.time32("ms")),
        "clock64": some(lambda: rng.randrange(86400 * 10**6), pa.time64("us")),
        "wait": some(lambda: rng.randrange(-10**9, 10**9), pa.duration("s")),
        "price": digits(-10**11, 10**11, 3, pa.decimal128(12, 3), decimal.Decimal("-0.001")),
        "wide": digits(-10**40, 10**40, 5, pa.decimal256(60, 5)),
        "none": pa.nulls(rows),
    }
    return columns


def as_plain(column):
    """What is written of a column: dictionaries and views as texts."""
    type_ = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return pa.string() if type_ == pa.string_view() else type_


class WithoutLibraryTest(command.CommandTest):
    """Where there is no plug-in, its lack is named before anything is read or written."""

    def refused(self, *words, says=(), stdin=b""):
        environment = os.environ | {"BALLOT_ARROW_PLUGIN": str(self.file("ballot-arrow.so"))}
        self.assert_refused(*words, says=["Apache Arrow", "libparquet-dev", "pyarrow", "there is no ", *says], expect=2, env=environment, stdin=stdin)

    def test_what_is_missing_is_named(self):
        table, old = self.file("in.csv", "a,b\n2,x\n1,y\n"), self.file("old.parquet", "old")
        for name in ("in.arrow", "in.arrows", "in.feather", "in.parquet"):
            self.refused("sort", self.file(name, "any"), "--by", "a", says=[name])
        for kind in ("arrow", "arrows", "parquet"):
            self.refused("sort", table, "--by", "a", "--output-format", kind)
            self.refused("compact", "-", "--format", kind, "--where", "a > 1", stdin=b"any")
        self.refused("sort", table, "--by", "a", "-o", old, says=["old.parquet"])
        self.assertEqual(old.read_text(), "old")
        self.assertEqual(self.names(), ["in.arrow", "in.arrows", "in.csv", "in.feather", "in.parquet", "old.parquet"])

    def test_what_is_no_plugin(self):
        wrong = self.file("ballot-arrow.so", "no library")
        self.assert_refused("sort", self.file("in.parquet", "any"), "--by", "a", says=["in.parquet", "Apache Arrow", str(wrong)], expect=2,
                            env=os.environ | {"BALLOT_ARROW_PLUGIN": str(wrong)})


@unittest.skipUnless(HAS_PLUGIN, "this build has no Apache Arrow")
class RoundTripTest(command.CommandTest):
    """Needs no other reader."""

    def test_from_csv_and_back(self):
        rng = random.Random(3)
        rows = [(i, rng.choice(["", "x", "y z", '"q,"']), rng.randrange(-50, 50) / 4, rng.choice(["", "7"])) for i in range(3000)]
        text = lambda wanted: "".join(["id,t,f,m\n", *(f"{i},{t},{f:g},{m}\n" for i, t, f, m in wanted)]).replace('""q,""', '"q,"')
        table = self.file("in.csv", text(rows))
        ordered = sorted(rows, key=lambda row: (-row[2], row[0]))
        for kind in KINDS:
            for memory in ((), ("--memory", "256K")):
                out = self.file(f"out.{kind}")
                self.ballot("sort", table, "--by", "f:desc", "--by", "id", "-o", out, *memory, "--verify")
                got = self.ballot("compact", out, "--where", "id >= 0", "--output-format", "csv").stdout.decode()
                self.assertEqual(got, text(ordered))
                got = self.ballot("sort", out, "--by", "id", "--columns", "m,id", "--output-format", "tsv", *memory).stdout.decode()
                self.assertEqual(got, "m\tid\n" + "".join(f"{m}\t{i}\n" for i, _, _, m in rows))


@unittest.skipUnless(HAS_PLUGIN, "this build has no Apache Arrow")
@unittest.skipUnless(pa, "Python has no pyarrow")
class ColumnarTest(command.CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.table = pa.table(typed_columns(random.Random(11), ROWS)) if pa else None

    def of_kind(self, kind):
        """Parquet has no seconds and no dates of 64 bits: the types that it has instead are sorted."""
        if kind != "parquet":
            return self.table
        made = pa.BufferOutputStream()
        pa.parquet.write_table(self.table, made)
        return pa.parquet.read_table(pa.BufferReader(made.getvalue()))

    def put(self, name, table, **options):
        path = self.file(name)
        kind = name.rsplit(".", 1)[1]
        if kind == "parquet":
            pa.parquet.write_table(table, path, row_group_size=options.pop("rows", 250), **options)
        else:
            make = pa.ipc.new_stream if kind == "arrows" else pa.ipc.new_file
            with make(path, table.schema, options=pa.ipc.IpcWriteOptions(**{"emit_dictionary_deltas": kind == "arrows"} | options)) as writer:
                writer.write_table(table, max_chunksize=250)
        return path

    def get(self, path):
        if path.suffix == ".parquet":
            return pa.parquet.read_table(path)
        return pa.ipc.open_stream(path.read_bytes()).read_all() if path.suffix == ".arrows" else pa.ipc.open_file(path.read_bytes()).read_all()

    def expected(self, table, rows):
        """These rows of the table, with the types that are written."""
        made = []
        for name, column in zip(table.column_names, table.columns):
            column = column.cast(as_plain(column))
            made.append(column.take(pa.array(rows, pa.int64())))
        return pa.table(made, names=table.column_names)

    def check_same(self, got, expected, says):
        self.assertEqual([(f.name, f.type) for f in got.schema], [(f.name, f.type) for f in expected.schema], says)
        for name in expected.column_names:
            self.assertTrue(got[name].combine_chunks().equals(expected[name].combine_chunks()), f"{says}: column {name}")

    def order(self, table, column, descending=False):
        """As Python sorts the values; missing ones are last."""
        values = table[column].to_pylist()
        if pa.types.is_string(as_plain(table[column])) or pa.types.is_large_string(table[column].type):
            values = [None if value is None else value.encode() for value in values]
        there = [row for row, value in enumerate(values) if value is not None]
        there.sort(key=lambda row: values[row], reverse=descending)  # equal ones keep their order, here, too
        return there + [row for row, value in enumerate(values) if value is None]

    def test_every_type_is_sorted_and_keeps_its_type(self):
        for kind in KINDS:
            table = self.of_kind(kind)
            source, out = self.put(f"in.{kind}", table), self.file(f"out.{kind}")
            for column in table.column_names:
                for by, descending in ((column, False), (column + ":desc", True)):
                    self.ballot("sort", source, "--by", by, "-o", out, "--verify")
                    self.check_same(self.get(out), self.expected(table, self.order(table, column, descending)), f"{kind} by {by}")
        self.assert_refused("compact", source, "--where", "wide > 0", "-o", out, says=["in.parquet", "'wide'", "decimal256(60, 5)", "15 digits"])

    def test_files_larger_than_memory(self):
        for kind in KINDS:
            table = pa.concat_tables([self.of_kind(kind)] * 12).combine_chunks()
            source, out = self.put(f"in.{kind}", table), self.file(f"out.{kind}")
            for by in ("text", "wide"):
                facts, _ = self.report("sort", source, "--by", by, "--memory", "1M", "-o", out, "--verify")
                self.assertGreater(facts["runs"], 1)
                self.check_same(self.get(out), self.expected(table, self.order(table, by)), kind)
            self.assertEqual(self.names(), sorted({f"in.{k}" for k in KINDS[:KINDS.index(kind) + 1]} | {f"out.{k}" for k in KINDS[:KINDS.index(kind) + 1]}))

    def test_pipes_compressed_files_and_several(self):
        table = self.of_kind("parquet")
        rows = self.order(table, "i32")
        for kind in KINDS:
            source = self.put(f"in.{kind}", table)
            piped = self.ballot("sort", "-", "--format", kind, "--by", "i32", stdin=source.read_bytes()).stdout
            got = pa.parquet.read_table(pa.BufferReader(piped)) if kind == "parquet" else pa.ipc.open_stream(piped).read_all()
            self.check_same(got, self.expected(table, rows), kind)
            with open(source, "rb") as file:  # by positions
                self.assertEqual(self.ballot("sort", "-", "--format", kind, "--by", "i32", stdin_file=file).stdout, piped)
            subprocess.run(["gzip", "-kf", source], check=True)
            self.assertEqual(self.ballot("sort", f"{source}.gz", "--by", "i32", "--output-format", "arrows").stdout[-8:], piped[-8:] if kind != "parquet" else b"\xff\xff\xff\xff\0\0\0\0")
            twice = pa.concat_tables([table, table])
            out = self.file(f"out.{kind}")
            self.ballot("sort", source, source, "--by", "i32", "-o", out)
            self.check_same(self.get(out), self.expected(twice, self.order(twice, "i32")), kind)
        other = self.put("other.parquet", pa.table({"a": pa.array([1], pa.int8())}))
        self.assert_refused("sort", other, self.file("in.parquet"), "--by", "a", says=["in.parquet", "its columns are", "a: i8"])

    def test_conditions(self):
        table = self.of_kind("parquet")
        values = {name: table[name].to_pylist() for name in table.column_names}
        source, out = self.put("in.parquet", table), self.file("out.parquet")
        then = datetime.datetime(2100, 1, 1)
        for where, keeps in (
            ("i32 > 1000 and text == 'a'", lambda r: (values["i32"][r] or 0) > 1000 and values["text"][r] == "a"),
            ("text is missing", lambda r: not values["text"][r]),
            ("flag == 1", lambda r: values["flag"][r] is True),
            ("price >= -12.5 and price < 50000000.001", lambda r: values["price"][r] is not None and decimal.Decimal("-12.5") <= values["price"][r] < decimal.Decimal("50000000.001")),
            ("u64 > 9223372036854775807", lambda r: (values["u64"][r] or 0) > 2**63 - 1),
            ("text(ts_us) >= '2100'", lambda r: values["ts_us"][r] is not None and values["ts_us"][r] >= then),
            ("ts_us >= '2100-01-01' and ts_zone < '2200-01-01T00:30:00Z'", lambda r: values["ts_us"][r] is not None and values["ts_us"][r] >= then and
             values["ts_zone"][r] is not None and values["ts_zone"][r] < datetime.datetime(2200, 1, 1, 0, 30, tzinfo=datetime.timezone.utc)),
            ("day between '1950-01-01' and '2001-02-28' or ts_ns > '2000-01-01 00:00:00.5'", lambda r: (values["day"][r] is not None and datetime.date(1950, 1, 1) <= values["day"][r] <= datetime.date(2001, 2, 28)) or
             (table["ts_ns"][r].is_valid and table["ts_ns"][r].value > 946684800500000000)),
            ("day in ('1950-01-01', '%s') or day64 == '%s'" % (values["day"][5], values["day64"][8]), lambda r: values["day"][r] == values["day"][5] or values["day64"][r] == values["day64"][8]),
            ("day:date(%F) >= '2100-01-01'", lambda r: values["day"][r] is not None and values["day"][r] >= then.date()),
            ("word in ('a', 'c,d')", lambda r: values["word"][r] in ("a", "c,d")),
            ("none is missing", lambda r: True),
        ):
            kept = [r for r in range(ROWS) if keeps(r)]
            self.assertTrue(kept, where)
            self.ballot("compact", source, "--where", where, "-o", out, "--verify")
            self.check_same(self.get(out), self.expected(table, kept), where)
            self.assertEqual(self.ballot("compact", source, "--where", where, "--count").stdout, b"%d\n" % len(kept))
            self.ballot("compact", source, "--where", where, "--top", "7", "--columns", "u8,none,price", "-o", out)
            self.check_same(self.get(out), self.expected(table.select(["u8", "none", "price"]), kept[:7]), where)

    def test_dates_that_are_none(self):
        source = self.put("in.parquet", self.of_kind("parquet"))
        for where, says in (("day > '2024-13-01'", "this is no date"), ("day > '2024-12-01 12:00'", "finer than"), ("ts_us == '2024-12-01 12:00:00.1234567'", "finer than"),
                            ("ts_us in ('x')", "this is no date"), ("wait > '2024-12-01'", "wait holds"), ("clock > '12:00'", "clock holds"), ("ts_us == '3000-01-01T00:00:00.5'", "1678 to 2261")):
            self.assertIn(says, self.ballot("compact", source, "--where", where, expect=2).stderr.decode())

    def test_as_texts(self):
        table = self.table
        source = self.put("in.arrow", table)
        names = [name for name in table.column_names if name not in ("binary", "fixed", "none")]
        out = self.file("out.jsonl")
        self.ballot("compact", source, "--flags", self.file("all.raw", b"\1" * ROWS), "--columns", ",".join(names), "-o", out)
        columns = {name: table[name].to_pylist() for name in names}
        shown = {"day": str, "day64": str, "clock": lambda v: v.isoformat("milliseconds"), "clock64": lambda v: v.isoformat("microseconds"),
                 "ts_s": lambda v: v.isoformat(), "ts_us": lambda v: v.isoformat(timespec="microseconds"), 
                 "ts_zone": lambda v: v.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z",
                 "wait": lambda v: int(v.total_seconds())}
        lines = out.read_text().splitlines()
        self.assertEqual(len(lines), ROWS)
        for row, line in enumerate(lines):
            got = json.loads(line, parse_float=decimal.Decimal)
            for name in names:
                value = columns[name][row]
                if name == "ts_ns":
                    expected = value and f"{value.isoformat()[:19]}.{table[name][row].value % 10**9:09d}"
                elif value is None or name not in shown:
                    expected = value
                else:
                    expected = shown[name](value)
                if name in ("f16", "f32", "f64") and value is not None:
                    self.assertEqual(struct.pack("<f" if name == "f32" else "<d", float(got[name])), struct.pack("<f" if name == "f32" else "<d", value))
                else:
                    self.assertEqual(got[name], expected, (name, row))
        comma = self.ballot("compact", source, "--where", "flag == 1", "--columns", "flag,price,text", "--output-format", "csv").stdout.decode()
        self.assertEqual(comma.splitlines()[0], "flag,price,text")
        self.assertTrue(all(line.startswith("true,") for line in comma.splitlines()[1:]))
        self.assertIn('true,', comma)

    def test_as_items(self):
        table = self.table.select(["i16", "flag", "day", "ts_us", "clock", "wait", "f16", "price"])
        source, out = self.put("in.arrow", table), self.file("out.npy")
        self.ballot("sort", source, "--by", "day", "-o", out)
        data = out.read_bytes()
        length = int.from_bytes(data[8:10], "little")
        header = eval(data[10:10 + length].decode(), {})
        longest = max(len(str(v)) for v in table["price"].to_pylist() if v is not None)
        self.assertEqual(header["descr"], [("i16", "<f8"), ("flag", "<f8"), ("day", "<M8[D]"), ("ts_us", "<M8[us]"), ("clock", "<m8[ms]"), ("wait", "<m8[s]"), ("f16", "<f4"), ("price", f"|S{longest}")])
        rows = self.order(table, "day")
        numbers = {name: table[name].cast(type_).to_pylist() for name, type_ in (("ts_us", pa.int64()), ("clock", pa.int32()), ("wait", pa.int64()), ("day", pa.int32()))}
        none = -2**63
        for row, item in zip(rows, struct.iter_unpack(f"<ddqqqqf{longest}s", data[10 + length:])):
            for place, name in ((2, "day"), (3, "ts_us"), (4, "clock"), (5, "wait")):
                self.assertEqual(item[place], none if numbers[name][row] is None else numbers[name][row], name)
            self.assertEqual(item[7].rstrip(b"\0").decode(), "" if table["price"][row].as_py() is None else str(table["price"][row].as_py()))
        back = self.file("back.arrow")
        self.ballot("sort", out, "--by", "day", "-o", back)
        got = self.get(back)
        self.check_same(got.select(["day", "ts_us"]), self.expected(table.select(["day", "ts_us"]), rows), "back")
        self.assertEqual(got["wait"].to_pylist(), [table["wait"][row].as_py() for row in rows])

    def test_groups_and_first_rows(self):
        table = self.table.select(["word", "u8", "text"])
        values = list(zip(*(column.to_pylist() for column in table.columns)))
        for kind in KINDS:
            source, out = self.put(f"in.{kind}", table), self.file(f"out.{kind}")
            for words in ((), ("--memory", "64K")):
                self.ballot("sort", source, "--by", "word", "--group-count", "--verify", *words, "-o", out)
                order, counts = self.order(table, "word"), {}
                for row in order:
                    counts.setdefault(values[row][0], []).append(row)
                got = self.get(out)
                self.assertEqual(got.column_names, ["word", "u8", "text", "count"])
                self.assertEqual(list(zip(*(column.to_pylist() for column in got.columns))), [(*values[rows[0]], len(rows)) for rows in counts.values()])
                self.ballot("sort", source, "--by", "word", "--unique", *words, "-o", out)
                self.check_same(self.get(out), self.expected(table, [rows[0] for rows in counts.values()]), kind)
            self.ballot("sort", source, "--by", "u8:desc", "--by", "text:nocase", "--top", "9", "-o", out)
            self.assertEqual(self.get(out).num_rows, 9)
            self.assertEqual(self.get(out)["u8"].to_pylist(), sorted((v[1] for v in values if v[1] is not None), reverse=True)[:9])
            repeated = pa.table({"a": pa.array([1, 1, None, None, 2, 1]), "s": pa.array(["x", "x", None, None, "", ""])})
            source = self.put(f"r.{kind}", repeated)
            self.ballot("compact", source, "--unique", "-o", out)
            self.check_same(self.get(out), repeated.take([0, 2, 4, 5]), kind)
            self.ballot("compact", source, "--group-count", "-o", out)
            self.assertEqual(self.get(out)["count"].to_pylist(), [2, 2, 1, 1])

    def test_nested_columns_are_named_where_they_are_needed(self):
        table = pa.table({"a": [3, 1, 2], "l": [[1], [], None], "s": [{"x": 1, "y": [2]}] * 3, "m": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int8()))})
        for kind in KINDS:
            source, out = self.put(f"in.{kind}", table), self.file(f"out.{kind}")
            self.assert_refused("sort", source, "--by", "a", "-o", out, says=["column 'l' is list<", "i64", "--columns"], expect=2)
            self.assert_refused("sort", source, "--by", "s", "--count", says=["column 's' is struct<x: i64, y: list<"], expect=2)
            self.assert_refused("sort", source, "--by", "a", "--columns", "a,m", says=["column 'm' is map<"], expect=2)
            self.ballot("sort", source, "--by", "a", "--columns", "a", "-o", out)
            self.assertEqual(self.get(out).to_pydict(), {"a": [1, 2, 3]})
            self.assertEqual(self.ballot("compact", source, "--where", "a > 1", "--count").stdout, b"2\n")
            self.assertEqual(self.ballot("compact", source, "--flags", self.file("f.raw", b"\1\0\1"), "--count").stdout, b"2\n")

    def test_only_needed_columns_are_read(self):
        table = pa.table({"a": list(range(5000, 0, -1)), "b": ["x" * 50] * 5000})
        source = self.put("in.parquet", table, compression="none", use_dictionary=False)
        data = bytearray(source.read_bytes())
        place = pa.parquet.ParquetFile(source).metadata.row_group(0).column(1).data_page_offset
        data[place:place + 40] = bytes(40)  # a page of b
        damaged = self.file("damaged.parquet", bytes(data))
        self.assertEqual(self.ballot("compact", damaged, "--where", "a <= 10", "--count").stdout, b"10\n")
        self.assertEqual(self.ballot("sort", damaged, "--by", "a:i64", "--columns", "a", "--top", "1", "--output-format", "csv").stdout, b"a\n1\n")
        self.assert_refused("sort", damaged, "--by", "a", says="damaged.parquet")

    def test_no_rows_and_no_nulls(self):
        for kind in KINDS:
            table = self.of_kind(kind)
            source, out = self.put(f"in.{kind}", table), self.file(f"out.{kind}")
            self.ballot("compact", source, "--where", "u8 > 255", "-o", out)
            self.check_same(self.get(out), self.expected(table, []), kind)
            empty = self.put(f"empty.{kind}", table.slice(0, 0))
            self.ballot("sort", empty, "--by", "text", "-o", out)
            self.check_same(self.get(out), self.expected(table, []), kind)
            schema = pa.schema([pa.field("a", pa.int32(), nullable=False), pa.field("b", pa.string(), metadata={"unit": "m"})], metadata={"made": "here"})
            plain = self.put(f"plain.{kind}", pa.table({"a": [2, 1], "b": ["x", None]}, schema=schema))
            self.ballot("sort", plain, "--by", "a", "-o", out)
            got = self.get(out)
            self.assertFalse(got.schema.field("a").nullable)
            self.assertEqual(got.schema.field("b").metadata[b"unit"], b"m")
            self.assertEqual(got.schema.metadata[b"made"], b"here")
            self.assertEqual(got.to_pydict(), {"a": [1, 2], "b": [None, "x"]})

    def test_codecs(self):
        table = self.table.select(["i64", "text", "word"])
        rows = self.order(table, "i64")
        out = self.file("out.parquet")
        for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
            source = self.put("in.parquet", table, compression=codec)
            self.ballot("sort", source, "--by", "i64", "-o", out)
            self.check_same(self.get(out), self.expected(table, rows), codec)
        for codec in ("lz4", "zstd"):
            source = self.put("in.feather", table, compression=codec)
            self.ballot("sort", source, "--by", "i64", "-o", out)
            self.check_same(self.get(out), self.expected(table, rows), codec)

    def test_damaged_files(self):
        rng = random.Random(8)
        table = self.of_kind("parquet").slice(0, 300)
        for kind in KINDS:
            whole = self.put(f"in.{kind}", table).read_bytes()
            out = self.file(f"out.{kind}", "old")
            for cut in (0, 3, 8, 100, len(whole) // 2, len(whole) - 9, len(whole) - 1):
                part = self.file(f"part.{kind}", whole[:cut])
                if kind == "arrows" and cut >= len(whole) - 9:
                    continue  # behind the last batch a stream may end anywhere
                self.assert_refused("sort", part, "--by", "i32", "-o", out, says=f"part.{kind}: ")
                self.assert_refused("sort", "-", "--format", kind, "--by", "i32", "-o", out, says="standard input: ", stdin=whole[:cut])
            for _ in range(25):
                data = bytearray(whole)
                for _ in range(rng.choice((1, 4, 30))):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                done = self.ballot("sort", self.file(f"part.{kind}", bytes(data)), "--by", "text", "--count", expect=None)
                self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                self.assertEqual(done.stderr.count(b"\n"), int(done.returncode != 0), done.stderr)
            self.assertEqual(out.read_text(), "old")
        csv = self.file("in.csv", b"a,b\n1,\xe9\n")
        self.assert_refused("sort", csv, "--by", "a", "-o", self.file("out.arrow"), says=["column 'b'", "not UTF-8"])
        twice = self.put("twice.arrow", pa.table([[1], [2]], names=["a", "a"]))
        self.assert_refused("sort", twice, "--by", "a", says="two columns", expect=2)
        self.assertEqual(self.ballot("sort", twice, "--by", "#2", "--columns", "#2", "--output-format", "csv").stdout.splitlines()[1], b"2")

    def test_what_would_be_done(self):
        source = self.put("in.parquet", self.of_kind("parquet"))
        done = self.ballot("sort", source, "--by", "ts_us", "--dry-run", "-o", self.file("out.arrow"))
        text = (done.stdout + done.stderr).decode()
        for part in ("Parquet: 1,200 rows", "timestamp[us]", "as an Arrow file"):
            self.assertIn(part, text)
        self.assertEqual(self.names(), ["in.parquet"])


if __name__ == "__main__":
    command.main()
