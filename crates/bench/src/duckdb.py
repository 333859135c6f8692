"""Computes what `cellveil tabulate` computes, with DuckDB, and compares the two. Arguments: a JSON text.

needs: records, out; takes: dimensions (name -> parents or null), weight, holding, memory, temp, sets, compare.
"""
import itertools
import json
import resource
import sys
import time

import duckdb

wish = json.loads(sys.argv[1])
con = duckdb.connect()
con.execute("set threads = %d" % wish["threads"])
con.execute("set preserve_insertion_order = false")
con.execute("set enable_progress_bar = false")
con.execute("set memory_limit = '%s'" % wish["memory"])
con.execute("set temp_directory = '%s'" % wish["temp"])
con.execute("set max_temp_directory_size = '%s'" % wish["disk"])
records = "read_parquet('%s/*.parquet')" % wish["records"]
dims = list(wish["dimensions"])
# A level above a code is its tens, as in the hierarchies of the benchmark.
levelled = {d for d in dims if wish["dimensions"][d]}
columns = []
for d in dims:
    columns.append('"%s"' % d)
    if d in levelled:
        columns.append('"%s_above"' % d)
source = "(select *%s from %s)" % (
    "".join(", 'above ' || (%s // 10)::varchar as %s_above" % (d, d) for d in levelled), records)


def sets():
    """Every margin and level: per dimension nothing, the code, or the code above."""
    choices = []
    for d in dims:
        own = [[], ['"%s"' % d]] + ([['"%s_above"' % d]] if d in levelled else [])
        choices.append(own)
    return [sum(choice, []) for choice in itertools.product(*choices)]


def named(d, used):
    if '"%s"' % d in used:
        return '"%s"::varchar as "%s"' % (d, d)
    if '"%s_above"' % d in used:
        return '"%s_above" as "%s"' % (d, d)
    return "'Total' as \"%s\"" % d


weighted, holding = wish.get("weight"), wish.get("holding")
value = "sum(salaire * %s)" % weighted if weighted else "sum(salaire)"
start = time.time()
if holding:
    # A holding's parts count as one contribution in every cell; whoever has no holding counts alone.
    con.execute("create table duck as select * from (values (1)) limit 0")
    queries = []
    for used in sets():
        by = used + ["coalesce(%s, 'alone ' || alone)" % holding]
        inner = "select %s, %s as v, count(*) as n, abs(sum(salaire)) as share%s from %s group by %s" % (
            ", ".join(named(d, used) for d in dims), value, (", sum(%s) as w" % weighted) if weighted else "",
            "(select *, row_number() over () as alone from %s)" % source, ", ".join(by))
        queries.append(
            "select %s, sum(v) as value, sum(n) as respondents, count(*) as holdings%s, max(share, 2) as top from (%s) group by %s"
            % (", ".join('"%s"' % d for d in dims), ", sum(w) as weighted_count" if weighted else "", inner,
               ", ".join('"%s"' % d for d in dims)))
    con.execute("create or replace table duck as " + " union all ".join(queries))
else:
    extra = (", sum(%s) as weighted_count" % weighted) if weighted else ""
    every = sets()
    per = wish.get("sets") or len(every)
    con.execute("copy (select 1) to '/dev/null'")
    parts = []
    for at in range(0, len(every), per):
        grouping = ", ".join("(%s)" % ", ".join(used) for used in every[at:at + per])
        keys = ", ".join(
            "case when grouping(\"%s\") = 0 then \"%s\"::varchar %s else 'Total' end as \"%s\"" % (
                d, d, ("when grouping(\"%s_above\") = 0 then \"%s_above\"" % (d, d)) if d in levelled else "", d)
            for d in dims if True) if per > 1 else None
        if keys is None:
            used = every[at]
            query = "select %s, %s as value, count(*) as respondents%s, max(salaire, 2) as top from %s%s" % (
                ", ".join(named(d, used) for d in dims), value, extra, source,
                (" group by " + ", ".join(used)) if used else "")
        else:
            unused = [c for c in columns if all(c not in used for used in every[at:at + per])]
            if unused:
                sys.exit("give --sets 1 or none")
            query = "select %s, %s as value, count(*) as respondents%s, max(salaire, 2) as top from %s group by grouping sets (%s)" % (
                keys, value, extra, source, grouping)
        path = "%s.%d.parquet" % (wish["out"], len(parts))
        con.execute("copy (%s) to '%s' (format parquet)" % (query, path))
        parts.append(path)
seconds = time.time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
answer = {"seconds": seconds, "peak": peak}
if wish.get("compare"):
    duck = "duck" if holding else "read_parquet('%s.*.parquet')" % wish["out"]
    names = ", ".join('"%s"' % d for d in dims)
    numbers = "value::decimal(38, 2) as value, respondents::hugeint as respondents"
    if holding:
        numbers += ", holdings::hugeint as holdings"
    if weighted:
        numbers += ", weighted_count::decimal(38, 2) as weighted_count"
    theirs = "select %s, %s, top[1]::hugeint as top_1, top[2]::hugeint as top_2 from %s" % (names, numbers, duck)
    ours = "select %s, %s, top_1::hugeint as top_1, top_2::hugeint as top_2 from read_parquet('%s')" % (
        names, numbers, wish["compare"])
    answer["cells"] = con.execute("select count(*) from (%s)" % ours).fetchone()[0]
    answer["ours_only"] = con.execute("select count(*) from (%s except all %s)" % (ours, theirs)).fetchone()[0]
    answer["theirs_only"] = con.execute("select count(*) from (%s except all %s)" % (theirs, ours)).fetchone()[0]
print(json.dumps(answer))
