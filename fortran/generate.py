#!/usr/bin/env python3
"""Writes the parts of nczarr.f90 that repeat: error codes, functions that only pass their arguments on, and what exists
for each kind and rank.

usage: generate.py [--check]      --check: only says whether nczarr.f90 is up to date

A part stands between the lines `! ==== generated: NAME` and `! ==== end`; the rest of the file is written by hand.
"""
import os, re, sys

here = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(here, "nczarr.f90")
HEADER = os.path.join(here, "..", "include", "nczarr.h")
RANKS = range(8)
NUMBERS = [  # name, Fortran's type, C's type in Fortran, C's name of it, netCDF's type
    ("int1", "integer(int8)", "integer(c_signed_char)", "schar", "nf90_byte"),
    ("int2", "integer(int16)", "integer(c_short)", "short", "nf90_short"),
    ("int4", "integer(int32)", "integer(c_int)", "int", "nf90_int"),
    ("int8", "integer(int64)", "integer(c_long_long)", "longlong", "nf90_int64"),
    ("real4", "real(real32)", "real(c_float)", "float", "nf90_float"),
    ("real8", "real(real64)", "real(c_double)", "double", "nf90_double"),
]

# Functions that pass their arguments on: the name without nf90_, and each argument with what becomes of it.
#   in  a number                       id    a number from 1, which is from 0 in C
#   out a number                       newid the same, out
#   text                               name  a text of at most nf90_max_name characters, out
#   size, outsize                      a number, size_t in C
#   wide                               a number, long long in C
PASSED = """
redef                   ncid:in
sync                    ncid:in
abort                   ncid:in
close                   ncid:in
delete                  path:text
set_fill                ncid:in fillmode:in old_mode:out
set_base_pe             ncid:in pe:in
inq_base_pe             ncid:in pe:out
inq_format              ncid:in format_type:out
def_dim                 ncid:in name:text len:size dimid:newid
inq_dimid               ncid:in name:text dimid:newid
rename_dim              ncid:in dimid:id name:text
copy_att                ncid_in:in varid_in:id name:text ncid_out:in varid_out:id
rename_att              ncid:in varid:id curname:text newname:text
del_att                 ncid:in varid:id name:text
inq_attname             ncid:in varid:id attnum:id name:name
inq_varid               ncid:in name:text varid:newid
rename_var              ncid:in varid:id newname:text
var_par_access          ncid:in varid:id access:in
inq_ncid                ncid:in name:text grp_ncid:out
inq_grp_ncid            ncid:in name:text grpid:out
inq_grp_full_ncid       ncid:in full_name:text grpid:out
inq_grp_parent          ncid:in parent_ncid:out
inq_grpname             ncid:in name:name
inq_grpname_len         ncid:in len:outsize
def_grp                 parent_ncid:in name:text new_ncid:out
rename_grp              grpid:in name:text
inq_typeid              ncid:in name:text typeid:out
inq_type                ncid:in xtype:in name:name size:outsize
inq_user_type           ncid:in xtype:in name:name size:outsize base_typeid:out nfields:outsize class:out
def_compound            ncid:in size:size name:text typeid:out
insert_compound         ncid:in xtype:in name:text offset:size field_typeid:in
inq_compound            ncid:in xtype:in name:name size:outsize nfields:outsize
inq_compound_name       ncid:in xtype:in name:name
inq_compound_size       ncid:in xtype:in size:outsize
inq_compound_nfields    ncid:in xtype:in nfields:outsize
inq_compound_fieldname  ncid:in xtype:in fieldid:id name:name
inq_compound_fieldindex ncid:in xtype:in name:text fieldid:newid
inq_compound_fieldoffset ncid:in xtype:in fieldid:id offset:outsize
inq_compound_fieldtype  ncid:in xtype:in fieldid:id field_typeid:out
inq_compound_fieldndims ncid:in xtype:in fieldid:id ndims:out
def_vlen                ncid:in name:text base_typeid:in xtypeid:out
inq_vlen                ncid:in xtype:in name:name datum_size:outsize base_nc_type:out
def_enum                ncid:in base_typeid:in name:text typeid:out
inq_enum                ncid:in xtype:in name:name base_nc_type:out base_size:outsize num_members:outsize
inq_enum_ident          ncid:in xtype:in value:wide identifier:name
def_opaque              ncid:in size:size name:text xtype:out
inq_opaque              ncid:in xtype:in name:name size:outsize
def_var_deflate         ncid:in varid:id shuffle:in deflate:in deflate_level:in
inq_var_deflate         ncid:in varid:id shuffle:out deflate:out deflate_level:out
def_var_szip            ncid:in varid:id options_mask:in pixels_per_block:in
inq_var_szip            ncid:in varid:id options_mask:out pixels_per_block:out
def_var_zstandard       ncid:in varid:id zstandard_level:in
inq_var_zstandard       ncid:in varid:id zstandard:out zstandard_level:out
def_var_quantize        ncid:in varid:id quantize_mode:in nsd:in
inq_var_quantize        ncid:in varid:id quantize_mode:out nsd:out
def_var_fletcher32      ncid:in varid:id fletcher32:in
inq_var_fletcher32      ncid:in varid:id fletcher32:out
def_var_endian          ncid:in varid:id endian:in
inq_var_endian          ncid:in varid:id endian:out
"""
IN_C = {
    "in": "integer(c_int), value", "id": "integer(c_int), value", "size": "integer(c_size_t), value",
    "wide": "integer(c_long_long), value", "out": "integer(c_int), intent(out)", "newid": "integer(c_int), intent(out)",
    "outsize": "integer(c_size_t), intent(out)", "text": "character(kind=c_char), intent(in)",
    "name": "character(kind=c_char), intent(out)",
}
LOCAL = {"out": "integer(c_int) :: c_%s", "newid": "integer(c_int) :: c_%s", "outsize": "integer(c_size_t) :: c_%s",
         "name": "character(kind=c_char) :: c_%s(nf90_max_name + 1)"}
AFTER = {"out": "%s = c_%s", "newid": "%s = c_%s + 1", "outsize": "%s = int(c_%s)", "name": "call take_text(c_%s, %s)"}
PASS = {"in": "%s", "id": "%s - 1", "size": "int(%s, c_size_t)", "wide": "int(%s, c_long_long)", "text": "c_text(%s)"}


def passed():
    """(name, [(argument, what becomes of it), ...]) of each function that passes its arguments on."""
    for line in PASSED.strip().splitlines():
        name, *words = line.split()
        yield name, [tuple(word.split(":")) for word in words]


def broken(head, words, tail, indent):
    """A statement in lines of at most 110 characters."""
    lines, line = [], " " * indent + head
    for i, word in enumerate(words):
        piece = word + (", " if i < len(words) - 1 else tail)
        if len(line) + len(piece) > 108:
            lines.append(line.rstrip() + " &")
            line = " " * (indent + 4)
        line += piece
    return lines + [line.rstrip()]


def declared(arguments, table, skip=()):
    """Declarations, arguments of one kind on one line."""
    kinds = {}
    for name, kind in arguments:
        kinds.setdefault(table(kind), []).append(name)
    return [(kind, names) for kind, names in kinds.items() if kind not in skip]


def interfaces():
    for name, arguments in passed():
        yield from broken("function nc_%s(" % name, [a for a, _ in arguments], ") bind(c) result(status)", 6)
        used = sorted({re.search(r"c_\w+", IN_C[k]).group() for _, k in arguments} | {"c_int"})
        yield from broken("import :: ", used, "", 8)
        for name_, kind in arguments:
            yield "        %s :: %s%s" % (IN_C[kind], name_, "(*)" if kind in ("text", "name") else "")
        yield "        integer(c_int) :: status"
        yield "      end function nc_%s" % name
    for name, _, ctype, cname, _ in NUMBERS:
        for verb, intent in (("put", "in"), ("get", "inout")):
            yield "      function nc_%s_varm_%s(ncid, varid, start, count, stride, map, values) bind(c) result(status)" % (verb, cname)
            yield "        import :: " + ", ".join(sorted({"c_int", "c_size_t", "c_ptr", re.search(r"c_\w+", ctype).group()}))
            yield "        integer(c_int), value :: ncid, varid"
            yield "        integer(c_size_t), intent(in) :: start(*), count(*)"
            yield "        type(c_ptr), value :: stride, map"
            yield "        %s, intent(%s) :: values(*)" % (ctype, intent)
            yield "        integer(c_int) :: status"
            yield "      end function nc_%s_varm_%s" % (verb, cname)
        yield "      function nc_put_att_%s(ncid, varid, name, xtype, len, values) bind(c) result(status)" % cname
        yield "        import :: " + ", ".join(sorted({"c_int", "c_size_t", "c_char", re.search(r"c_\w+", ctype).group()}))
        yield "        integer(c_int), value :: ncid, varid, xtype"
        yield "        character(kind=c_char), intent(in) :: name(*)"
        yield "        integer(c_size_t), value :: len"
        yield "        %s, intent(in) :: values(*)" % ctype
        yield "        integer(c_int) :: status"
        yield "      end function nc_put_att_%s" % cname
        yield "      function nc_get_att_%s(ncid, varid, name, values) bind(c) result(status)" % cname
        yield "        import :: " + ", ".join(sorted({"c_int", "c_char", re.search(r"c_\w+", ctype).group()}))
        yield "        integer(c_int), value :: ncid, varid"
        yield "        character(kind=c_char), intent(in) :: name(*)"
        yield "        %s, intent(inout) :: values(*)" % ctype
        yield "        integer(c_int) :: status"
        yield "      end function nc_get_att_%s" % cname


def outside(kind):
    return {"in": "integer, intent(in)", "id": "integer, intent(in)", "size": "integer, intent(in)", "wide": "integer, intent(in)",
            "text": "character(len=*), intent(in)", "name": "character(len=*), intent(out)"}.get(kind, "integer, intent(out)")


def functions():
    for name, arguments in passed():
        yield ""
        yield from broken("function nf90_%s(" % name, [a for a, _ in arguments], ") result(status)", 2)
        for kind, names in declared(arguments, outside):
            yield "    %s :: %s" % (kind, ", ".join(names))
        yield "    integer :: status"
        for a, kind in arguments:
            if kind in LOCAL:
                yield "    " + LOCAL[kind] % a
        yield ""
        yield from broken("status = nc_%s(" % name, [PASS.get(k, "c_%s") % a for a, k in arguments], ")", 4)
        for a, kind in arguments:
            if kind in AFTER:
                text = AFTER[kind] % (a, a)
                yield "    if (status == nf90_noerr) " + text
        yield "  end function nf90_%s" % name


def constants():
    with open(HEADER, encoding="utf-8") as f:
        codes = re.findall(r"#define NC_(E\w+)\s+\(?(-\d+)\)?", f.read())
    for name, value in codes:
        yield "  integer, parameter, public :: nf90_%s = %s" % (name.lower(), value)


def public():
    for name, _ in passed():
        yield "  public :: nf90_%s" % name


def generics():
    kinds = [n for n, *_ in NUMBERS]
    for verb in ("put", "get"):
        yield "  interface nf90_%s_var" % verb
        for rank in RANKS:
            yield from broken("module procedure ", ["%s_%d_%s" % (verb, rank, k) for k in ["text"] + kinds], "", 4)
        yield "  end interface nf90_%s_var" % verb
        yield "  interface nf90_%s_att" % verb
        yield from broken("module procedure ", ["%s_att_text, %s_att_texts" % (verb, verb)] +
                          ["%s_att_%s, %s_att_one_%s" % (verb, k, verb, k) for k in kinds], "", 4)
        yield "  end interface nf90_%s_att" % verb
    for verb in ("def", "inq"):
        yield "  interface nf90_%s_var_fill" % verb
        yield from broken("module procedure ", ["%s_var_fill_%s" % (verb, k) for k in kinds], "", 4)
        yield "  end interface nf90_%s_var_fill" % verb


def shape_of(rank):
    return "" if rank == 0 else "(%s)" % ", ".join([":"] * rank)


def variables():
    for name, ftype, _, cname, _ in NUMBERS:
        for verb, intent in (("put", "in"), ("get", "inout")):
            yield ""
            yield "  ! values: those of an array of any rank, whose lengths are in `lengths`"
            yield "  function %s_%s(ncid, varid, values, lengths, start, count, stride, map) result(status)" % (verb, name)
            yield "    integer, intent(in) :: ncid, varid, lengths(:)"
            yield "    %s, intent(%s) :: values(*)" % (ftype, intent)
            yield "    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)"
            yield "    integer :: status"
            yield "    type(part), target :: p"
            yield ""
            yield "    status = describe(ncid, varid, lengths, p, start, count, stride, map)"
            yield "    if (status == nf90_noerr) &"
            yield "      status = nc_%s_varm_%s(ncid, varid - 1, p%%start, p%%count, p%%stride, p%%map, values)" % (verb, cname)
            yield "  end function %s_%s" % (verb, name)
            for rank in RANKS:
                yield from variable(verb, intent, rank, name, ftype)
    for verb, intent in (("put", "in"), ("get", "inout")):
        for rank in RANKS:
            yield from variable(verb, intent, rank, "text", "character(len=*)")


def variable(verb, intent, rank, name, ftype):
    """One specific function. A scalar is an array of one."""
    text = name == "text"
    rest = ", start, count, stride, map" if rank > 0 or text else ", start"
    yield ""
    yield "  function %s_%d_%s(ncid, varid, values%s) result(status)" % (verb, rank, name, rest)
    yield "    integer, intent(in) :: ncid, varid"
    yield "    %s, intent(%s) :: values%s" % (ftype, intent, shape_of(rank))
    yield "    integer, intent(in), optional :: %s" % rest[2:].replace(", ", "(:), ").rstrip() + "(:)"
    yield "    integer :: status"
    values = "values"
    if rank == 0:
        values = "one"
        yield "    %s :: one(1)" % (ftype if not text else "character(len=len(values))")
    yield ""
    if rank == 0:
        yield "    one(1) = values"
    lengths = "shape(values)" if rank > 0 else "no_lengths"
    if text:
        yield "    status = %s_text(ncid, varid, %s, %s%s)" % (verb, values, lengths, rest)
    else:
        yield "    status = %s_%s(ncid, varid, %s, %s%s)" % (verb, name, values, lengths, rest)
    if rank == 0 and verb == "get":
        yield "    values = one(1)"
    yield "  end function %s_%d_%s" % (verb, rank, name)


def attributes():
    for name, ftype, _, cname, nctype in NUMBERS:
        yield from ATTRIBUTES.replace("KIND", name).replace("FTYPE", ftype).replace("CNAME", cname).replace("NCTYPE", nctype).splitlines()


ATTRIBUTES = """
  function put_att_KIND(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    FTYPE, intent(in) :: values(:)
    integer :: status

    status = nc_put_att_CNAME(ncid, varid - 1, c_text(name), NCTYPE, size(values, kind=c_size_t), values)
  end function put_att_KIND

  function put_att_one_KIND(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    FTYPE, intent(in) :: values
    integer :: status

    status = put_att_KIND(ncid, varid, name, [values])
  end function put_att_one_KIND

  function get_att_KIND(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    FTYPE, intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_CNAME(ncid, varid - 1, c_text(name), values)
  end function get_att_KIND

  function get_att_one_KIND(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    FTYPE, intent(inout) :: values
    integer :: status
    FTYPE :: one(1)

    one(1) = values
    status = get_att_KIND(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_KIND
"""


def fills():
    for name, ftype, *_ in NUMBERS:
        kind = "int" if ftype.startswith("integer") else "real"
        wide = "integer(int64)" if kind == "int" else "real(real64)"
        width = re.search(r"\((\w+)\)", ftype).group(1)
        words = {"KIND": name, "FTYPE": ftype, "WIDTH": width, "WIDE": wide, "WIDEST": re.search(r"\((\w+)\)", wide).group(1), "AS": kind}
        yield from re.sub(r"KIND|FTYPE|WIDTH|WIDEST|WIDE|\bAS\b|(?<=_)AS\b", lambda m: words[m.group()], FILLS).splitlines()


FILLS = """
  function def_var_fill_KIND(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    FTYPE, intent(in) :: fill
    integer :: status

    status = def_fill_AS(ncid, varid, no_fill, AS(fill, WIDEST))
  end function def_var_fill_KIND

  function inq_var_fill_KIND(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    FTYPE, intent(inout) :: fill
    integer :: status
    WIDE :: wide

    status = inq_fill_AS(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = AS(wide, WIDTH)
  end function inq_var_fill_KIND
"""

PARTS = {"error codes": constants, "names": public, "generic names": generics, "functions of C": interfaces,
         "functions that pass their arguments on": functions, "values of variables": variables,
         "values of attributes": attributes, "fill values": fills}


def generate(text):
    for name, part in PARTS.items():
        body = "\n".join(part()).strip("\n")
        text, n = re.subn(r"(?ms)^(\s*! ==== generated: %s\n).*?^(\s*! ==== end$)" % re.escape(name),
                          lambda m: m.group(1) + body + "\n" + m.group(2), text)
        if n != 1:
            sys.exit("nczarr.f90 has %d parts called '%s'" % (n, name))
    return text


def main():
    with open(SOURCE, encoding="utf-8") as f:
        old = f.read()
    new = generate(old)
    if "--check" in sys.argv:
        sys.exit("fortran/nczarr.f90 is not what generate.py writes: run it" if new != old else 0)
    with open(SOURCE, "w", encoding="utf-8") as f:
        f.write(new)


if __name__ == "__main__":
    main()
