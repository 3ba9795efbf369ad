"""User-defined types: every zarr-python reads the data of enums, compounds, opaque types, sequences and packed elements as we
write them, and we read what it writes. Called by `run`. What a zarr-python cannot read is in the tables below, by its text."""
import json, os, struct

CDL = """netcdf typed {
types:
  byte enum e_t {low = -1, high = 7} ;
  compound in_t { short x ; double y ; } ;
  compound f_t { int a ; double b ; ubyte k ; } ;
  compound c_t { int a ; float b(2) ; ubyte k ; } ;
  compound n_t { byte tag ; in_t in(2) ; float m(2, 3) ; e_t e ; } ;
  opaque(5) o_t ;
%s
dimensions:
  x = 3 ;
variables:
  f_t f(x) ; f:_ChunkSizes = 2 ;
  c_t c(x) ; c:_ChunkSizes = 2 ;
  n_t n(x) ; n:_ChunkSizes = 2 ; n:_DeflateLevel = 5 ;
  o_t o(x) ; o:_ChunkSizes = 2 ;
  e_t e(x) ;
%s
data:
  f = {1, 0.1, 255}, {-2147483648, 1e300, 0}, {3, -0.5, 7} ;
  c = {1, {2.5, -3}, 255}, {-2147483648, {0, 1e30}, 0}, {7, {8, 9}, 10} ;
  n = {-128, {{1, 0.1}, {-2, 1e300}}, {1, 2, 3, 4, 5, 6}, low},
      {127, {{3, 4}, {5, 6}}, {0, 0, 0, -1, -2, -3}, high}, {0, {{7, 8}, {9, 10}}, {1, 1, 2, 3, 5, 8}, low} ;
  o = 0X0102030405, 0XFFFEFDFCFB, 0X0000000000 ;
  e = low, high, 0 ;
%s
}
"""
SEQUENCES = ("  int(*) v_t ;\n  double(*) w_t ;", "  v_t v(x) ; v:_ChunkSizes = 2 ;\n  w_t w(x) ; w:_DeflateLevel = 5 ;",
             "  v = {1, -2, 3}, {}, {2147483647} ;\n  w = {0.1}, {1e300, -2}, {} ;")
PACKED = ("  compound p_t { short id ; string name ; v_t counts ; double at(2) ; } ;", "  p_t p(x) ; p:_ChunkSizes = 2 ; p:_DeflateLevel = 5 ;",
          '  p = {-7, "", {}, {0.5, 1e300}}, {1, "\u00fcn\u00ef", {1, -2, 3}, {0, 1}}, {2, "two", {2}, {-1, 0}} ;')
# mode, version, whether it has sequences, and packed elements
KINDS = (("nczarr", "2", True, True), ("zarr", "2", True, False), ("nczarr,v3", "3", True, True), ("zarr,v3", "3", False, False))
PEERS = (("zarr2", "2"), ("zarr30", "2"), ("zarr3", "2"), ("zarrnew", "2"), ("zarr30", "3"), ("zarr3", "3"), ("zarrnew", "3"))

# (peer, version): part of the error for each array. 3.0 and 3.1 have no records within records, which arrays in them are, too;
# in version 3 neither has `struct`; from 3.1 on there is no type for sequences in version 2.
REFUSED = {("zarr30", "2"): {"/c": "tuples", "/n": "tuples"}, ("zarr30", "3"): {"/f": "", "/c": "", "/n": "", "/o": ""},
           ("zarr3", "2"): {"/c": "No Zarr data type", "/n": "No Zarr data type", "/v": "vlen-array", "/w": "vlen-array"},
           ("zarr3", "3"): {"/f": "struct", "/c": "struct", "/n": "struct"}, ("zarrnew", "2"): {"/v": "vlen-array", "/w": "vlen-array"}}


def flat(v, names):
    """As peer_types.py has it, of a value as nczdump --json prints it."""
    if isinstance(v, dict):
        return [x for item in v.values() for x in flat(item, names)]
    if isinstance(v, list):
        return [x for item in v for x in flat(item, names)]
    return [names.get(v, v)]


def ours(h, path):
    """{"/v": values}, problems"""
    r = h.run(h.nczdump, "--json", path)
    if r.returncode != 0:
        return {}, [r.stderr.strip() or "status %d" % r.returncode]
    document = json.loads(r.stdout)
    names = {"low": -1, "high": 7}
    return {"/" + name: [flat(item, names) for item in v["data"]] for name, v in document["variables"].items()}, []


def number(v):
    return v if isinstance(v, str) else float(v)


def differences(path, got, want):
    same = len(got) == len(want) and all([number(x) for x in a] == [number(x) for x in b] for a, b in zip(got, want))
    # A float of 32 bits prints as the shortest text that is it.
    if not same and len(got) == len(want):
        f32 = lambda x: x if isinstance(x, str) or abs(x) > 3e38 else struct.unpack("f", struct.pack("f", x))[0]
        same = all([f32(number(x)) for x in a] == [f32(number(x)) for x in b] for a, b in zip(got, want))
    return [] if same else ["%s: %r, not %r" % (path, got, want)]


def read_by_others(h, tmp):
    for mode, version, sequences, packed in KINDS:
        source = os.path.join(tmp, "typed.cdl")
        target = os.path.join(tmp, "typed-%s.zarr" % mode.replace(",", "-"))
        with open(source, "w") as f:
            f.write(CDL % tuple((SEQUENCES[i] if sequences else "") + "\n" + (PACKED[i] if packed else "") for i in range(3)))
        r = h.run(h.nczgen, "-o", "file://%s#mode=%s" % (target, mode), source)
        want, problems = ours(h, target)
        h.check("types: made, %s" % mode, problems + ([r.stderr.strip()] if r.returncode else []) +
                ([] if len(want) == 5 + 2 * sequences + packed else ["%d variables" % len(want)]))
        for peer, format_ in PEERS:
            if format_ != version or not os.path.exists(h.python(peer)):
                continue
            r = h.run(h.python(peer), os.path.join(h.here, "peer_types.py"), "read", target, version)
            if r.returncode != 0:
                h.check("types: %s -> %s" % (mode, peer), [r.stderr.strip()[-400:]])
                continue
            got, problems = json.loads(r.stdout), []
            for path, values in want.items():
                refused = REFUSED.get((peer, version), {}).get(path)
                found = got.get(path, {"error": "not listed"})
                if isinstance(found, dict):
                    if refused is None or refused not in found["error"]:
                        problems.append("%s: %s" % (path, found["error"]))
                elif refused is not None:
                    problems.append("%s: it can be read now: change the table" % path)
                else:
                    problems += differences(path, found, values)
            h.check("types: %s -> %s" % (mode, peer), problems)


# The arrays that each zarr-python must have written, so that the comparison is not one of nothing.
WRITTEN = {("zarr2", "2"): "record nested block raw c8 c16 ints reals", ("zarr30", "2"): "record nested raw c8 c16 ints reals",
           ("zarr3", "2"): "record nested raw c8 c16", ("zarrnew", "2"): "record nested raw c8 c16",
           ("zarr30", "3"): "c8 c16", ("zarr3", "3"): "record raw c8 c16", ("zarrnew", "3"): "record nested raw c8 c16"}


def written_by_others(h, tmp):
    for (peer, version), names in WRITTEN.items():
        if not os.path.exists(h.python(peer)):
            continue
        folder = os.path.join(tmp, "typed-" + peer)
        os.makedirs(folder, exist_ok=True)
        label = "types: zarr v%s of %s -> nczdump" % (version, peer)
        r = h.run(h.python(peer), os.path.join(h.here, "peer_types.py"), "write", folder, version)
        if r.returncode != 0:
            h.check(label, [r.stderr.strip()[-400:]])
            continue
        want = json.loads(r.stdout)
        got, problems = ours(h, os.path.join(folder, version + ".zarr"))
        problems += ["%s was not written: %s" % (n, r.stderr[-300:]) for n in names.split() if "/" + n not in want]
        for path, values in want.items():
            problems += differences(path, got.get(path, []), values)
        h.check(label, problems)


def run_all(h, tmp):
    read_by_others(h, tmp)
    written_by_others(h, tmp)
