#!/usr/bin/env python3
"""Writes netcdf77.f90 and netcdf.inc, netCDF's Fortran 77 interface (nf_...) over nczarr.f90.

usage: generate77.py [--check]      --check: only says whether both are up to date

A function whose arguments are those of its nf90_ namesake calls it; the rest is written out in the templates here.
"""
import os, re, sys

sys.dont_write_bytecode = True
from generate import NUMBERS, SOURCE, broken, declared, here, outside, passed

FUNCTIONS, INCLUDE = os.path.join(here, "netcdf77.f90"), os.path.join(here, "netcdf.inc")
# Names of kinds in nf_ functions, and what netCDF calls them.
KINDS = {"int1": "int1", "int2": "int2", "int4": "int", "int8": "int64", "real4": "real", "real8": "double"}
# Those of PASSED that exist with the same arguments.
SAME = """redef sync abort close delete set_fill inq_format def_dim inq_dimid rename_dim copy_att rename_att del_att inq_attname
inq_varid rename_var var_par_access inq_ncid inq_grp_ncid inq_grp_full_ncid inq_grp_parent inq_grpname inq_grpname_len def_grp
rename_grp def_var_deflate inq_var_deflate def_var_szip inq_var_szip def_var_zstandard inq_var_zstandard def_var_quantize
inq_var_quantize def_var_fletcher32 inq_var_fletcher32 def_var_endian inq_var_endian""".split()

HEAD = """! SPDX-License-Identifier: BSD-3-Clause
!
! netCDF's Fortran 77 interface: functions for programs that include netcdf.inc, over nczarr.f90. They are no part of a
! module, so that such programs call them as ever. Leave this file out where netcdf-fortran is linked, too.
!
! generate77.py writes it.
module nczarr_netcdf77
  use nczarr
  implicit none
  private
  public :: find_rank, find_shape, nelems

contains

  subroutine find_rank(ncid, varid, rank, status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: rank, status

    rank = 0
    status = nf90_inquire_variable(ncid, varid, ndims=rank)
  end subroutine find_rank

  ! The lengths of a whole variable.
  subroutine find_shape(ncid, varid, shape, status)
    integer, intent(in) :: ncid, varid
    integer, allocatable, intent(out) :: shape(:)
    integer, intent(out) :: status
    integer, allocatable :: dimids(:)
    integer :: rank, d

    call find_rank(ncid, varid, rank, status)
    allocate (shape(rank), source=1)
    allocate (dimids(rank), source=0)
    if (status == nf90_noerr) status = nf90_inquire_variable(ncid, varid, dimids=dimids)
    do d = 1, rank
      if (status == nf90_noerr) status = nf90_inquire_dimension(ncid, dimids(d), len=shape(d))
    end do
  end subroutine find_shape

  ! Elements of the caller's array from the first to the last of such a part.
  pure function nelems(count, map) result(n)
    use, intrinsic :: iso_fortran_env, only: int64
    integer, intent(in) :: count(:)
    integer, intent(in), optional :: map(:)
    integer(int64) :: n

    n = product(int(count, int64))
    if (present(map) .and. n > 0) n = 1 + sum(int(count - 1, int64) * int(map, int64))
  end function nelems
end module nczarr_netcdf77
"""

# Bodies of functions without a namesake: head with arguments, declarations, statements.
OTHERS = """
nf_inq_libvers()
  character(len=80) :: status
= nf90_inq_libvers()

nf_strerror(ncerr)
  integer, intent(in) :: ncerr
  character(len=80) :: status
= nf90_strerror(ncerr)

nf_issyserr(ncerr)
  integer, intent(in) :: ncerr
  logical :: status
= ncerr > 0

nf_create(path, cmode, ncid)
  character(len=*), intent(in) :: path
  integer, intent(in) :: cmode
  integer, intent(out) :: ncid
= nf90_create(path, cmode, ncid)

nf_open(path, mode, ncid)
  character(len=*), intent(in) :: path
  integer, intent(in) :: mode
  integer, intent(out) :: ncid
= nf90_open(path, mode, ncid)

nf_create_par(path, cmode, comm, info, ncid)
  character(len=*), intent(in) :: path
  integer, intent(in) :: cmode, comm, info
  integer, intent(out) :: ncid
= nf90_create_par(path, cmode, comm, info, ncid)

nf_open_par(path, mode, comm, info, ncid)
  character(len=*), intent(in) :: path
  integer, intent(in) :: mode, comm, info
  integer, intent(out) :: ncid
= nf90_open_par(path, mode, comm, info, ncid)

nf_enddef(ncid)
  integer, intent(in) :: ncid
= nf90_enddef(ncid)

nf__enddef(ncid, h_minfree, v_align, v_minfree, r_align)
  integer, intent(in) :: ncid, h_minfree, v_align, v_minfree, r_align
= nf90_enddef(ncid, h_minfree, v_align, v_minfree, r_align)

nf_inq(ncid, ndims, nvars, ngatts, unlimdimid)
  integer, intent(in) :: ncid
  integer, intent(out) :: ndims, nvars, ngatts, unlimdimid
= nf90_inquire(ncid, ndims, nvars, ngatts, unlimdimid)

nf_inq_ndims(ncid, ndims)
  integer, intent(in) :: ncid
  integer, intent(out) :: ndims
= nf90_inquire(ncid, nDimensions=ndims)

nf_inq_nvars(ncid, nvars)
  integer, intent(in) :: ncid
  integer, intent(out) :: nvars
= nf90_inquire(ncid, nVariables=nvars)

nf_inq_natts(ncid, ngatts)
  integer, intent(in) :: ncid
  integer, intent(out) :: ngatts
= nf90_inquire(ncid, nAttributes=ngatts)

nf_inq_unlimdim(ncid, unlimdimid)
  integer, intent(in) :: ncid
  integer, intent(out) :: unlimdimid
= nf90_inquire(ncid, unlimitedDimId=unlimdimid)

nf_inq_dim(ncid, dimid, name, len)
  integer, intent(in) :: ncid, dimid
  character(len=*), intent(out) :: name
  integer, intent(out) :: len
= nf90_inquire_dimension(ncid, dimid, name, len)

nf_inq_dimname(ncid, dimid, name)
  integer, intent(in) :: ncid, dimid
  character(len=*), intent(out) :: name
= nf90_inquire_dimension(ncid, dimid, name)

nf_inq_dimlen(ncid, dimid, len)
  integer, intent(in) :: ncid, dimid
  integer, intent(out) :: len
= nf90_inquire_dimension(ncid, dimid, len=len)

nf_def_var(ncid, name, xtype, ndims, dimids, varid)
  integer, intent(in) :: ncid, xtype, ndims, dimids(*)
  character(len=*), intent(in) :: name
  integer, intent(out) :: varid
= nf90_def_var(ncid, name, xtype, dimids(:ndims), varid)

nf_inq_var(ncid, varid, name, xtype, ndims, dimids, natts)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(out) :: name
  integer, intent(out) :: xtype, ndims, natts
  integer, intent(inout) :: dimids(*)
= nf90_inquire_variable(ncid, varid, name, xtype, ndims, nAtts=natts)
if (status == nf90_noerr) status = nf90_inquire_variable(ncid, varid, dimids=dimids(:ndims))

nf_inq_varname(ncid, varid, name)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(out) :: name
= nf90_inquire_variable(ncid, varid, name)

nf_inq_vartype(ncid, varid, xtype)
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: xtype
= nf90_inquire_variable(ncid, varid, xtype=xtype)

nf_inq_varndims(ncid, varid, ndims)
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: ndims
= nf90_inquire_variable(ncid, varid, ndims=ndims)

nf_inq_vardimid(ncid, varid, dimids)
  integer, intent(in) :: ncid, varid
  integer, intent(inout) :: dimids(*)
  integer :: rank
call find_rank(ncid, varid, rank, status)
if (status == nf90_noerr) status = nf90_inquire_variable(ncid, varid, dimids=dimids(:rank))

nf_inq_varnatts(ncid, varid, natts)
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: natts
if (varid == nf90_global) status = nf90_inquire(ncid, nAttributes=natts)
if (varid /= nf90_global) status = nf90_inquire_variable(ncid, varid, nAtts=natts)

nf_def_var_chunking(ncid, varid, storage, chunksizes)
  integer, intent(in) :: ncid, varid, storage, chunksizes(*)
  integer :: rank
call find_rank(ncid, varid, rank, status)
if (status == nf90_noerr) status = nf90_def_var_chunking(ncid, varid, storage, chunksizes(:rank))

nf_inq_var_chunking(ncid, varid, storage, chunksizes)
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: storage
  integer, intent(inout) :: chunksizes(*)
  integer :: rank
call find_rank(ncid, varid, rank, status)
if (status == nf90_noerr) status = nf90_inq_var_chunking(ncid, varid, storage, chunksizes(:rank))

nf_inq_att(ncid, varid, name, xtype, len)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: xtype, len
= nf90_inquire_attribute(ncid, varid, name, xtype, len)

nf_inq_atttype(ncid, varid, name, xtype)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: xtype
= nf90_inquire_attribute(ncid, varid, name, xtype)

nf_inq_attlen(ncid, varid, name, len)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: len
= nf90_inquire_attribute(ncid, varid, name, len=len)

nf_inq_attid(ncid, varid, name, attnum)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: attnum
= nf90_inquire_attribute(ncid, varid, name, attnum=attnum)

nf_put_att_text(ncid, varid, name, len, text)
  integer, intent(in) :: ncid, varid, len
  character(len=*), intent(in) :: name, text
  interface
    function nc_put_att_text(ncid, varid, name, len, text) bind(c) result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*), text(*)
      integer(c_size_t), value :: len
      integer(c_int) :: status
    end function nc_put_att_text
  end interface
= nc_put_att_text(ncid, varid - 1, trim(name)//c_null_char, int(len, c_size_t), text)

nf_get_att_text(ncid, varid, name, text)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  character(len=*), intent(inout) :: text
= nf90_get_att(ncid, varid, name, text)

nf__create(path, cmode, initialsz, chunksizehint, ncid)
  character(len=*), intent(in) :: path
  integer, intent(in) :: cmode, initialsz, chunksizehint
  integer, intent(out) :: ncid
= nf90_create_mp(path, cmode, initialsz, 0, chunksizehint, ncid)

nf__open(path, mode, chunksizehint, ncid)
  character(len=*), intent(in) :: path
  integer, intent(in) :: mode, chunksizehint
  integer, intent(out) :: ncid
= nf90_open_mp(path, mode, 0, chunksizehint, ncid)

nf_inq_path(ncid, pathlen, path)
  integer, intent(in) :: ncid
  integer, intent(inout) :: pathlen
  character(len=*), intent(inout) :: path
= nf90_inq_path(ncid, pathlen, path)

nf_set_default_format(format, old_format)
  integer, intent(in) :: format
  integer, intent(inout) :: old_format
  interface
    function nc_set_default_format(format, old_format) bind(c) result(status)
      import :: c_int
      integer(c_int), value :: format
      integer(c_int), intent(inout) :: old_format
      integer(c_int) :: status
    end function nc_set_default_format
  end interface
= nc_set_default_format(format, old_format)

nf_def_var_fill(ncid, varid, no_fill, fill_value)
  integer, intent(in) :: ncid, varid, no_fill
  type(*), intent(in), target :: fill_value
  interface
    function nc_def_var_fill(ncid, varid, no_fill, fill) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid, varid, no_fill
      type(c_ptr), value :: fill
      integer(c_int) :: status
    end function nc_def_var_fill
  end interface
= nc_def_var_fill(ncid, varid - 1, no_fill, c_loc(fill_value))

nf_inq_var_fill(ncid, varid, no_fill, fill_value)
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: no_fill
  type(*), intent(inout), target :: fill_value
  interface
    function nc_inq_var_fill(ncid, varid, no_fill, fill) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: no_fill
      type(c_ptr), value :: fill
      integer(c_int) :: status
    end function nc_inq_var_fill
  end interface
= nc_inq_var_fill(ncid, varid - 1, no_fill, c_loc(fill_value))

nf_def_var_filter(ncid, varid, filterid, nparams, params)
  integer, intent(in) :: ncid, varid, filterid, nparams, params(*)
= nf90_def_var_filter(ncid, varid, filterid, nparams, params)

nf_inq_var_filter(ncid, varid, filterid, nparams, params)
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: filterid, nparams
  integer, intent(inout), target :: params(*)
  integer(c_size_t) :: n
  interface
    function nc_inq_var_filter(ncid, varid, id, nparams, params) bind(c) result(status)
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: id
      integer(c_size_t), intent(out) :: nparams
      type(c_ptr), value :: params
      integer(c_int) :: status
    end function nc_inq_var_filter
  end interface
= nc_inq_var_filter(ncid, varid - 1, filterid, n, c_loc(params))
if (status == nf90_noerr) nparams = int(n)

nf_inq_grpname_full(ncid, nlen, path)
  integer, intent(in) :: ncid
  integer, intent(inout) :: nlen
  character(len=*), intent(inout) :: path
= nf90_inq_grpname_full(ncid, nlen, path)
"""
# Numbers of what a group has, of which the first is FIRST.
LISTS = """
nf_inq_WHAT(ncid, nITEMS, ITEMSMORE)
  integer, intent(in) :: ncidMORE
  integer, intent(out) :: nITEMS
  integer, intent(inout), target :: ITEMS(*)
  interface
    function nc_inq_WHAT(ncid, n, idsMORE) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncidMORE
      integer(c_int), intent(out) :: n
      type(c_ptr), value :: ids
      integer(c_int) :: status
    end function nc_inq_WHAT
  end interface
= nc_inq_WHAT(ncid, nITEMS, c_loc(ITEMS)MORE)
if (status == nf90_noerr) ITEMS(:nITEMS) = ITEMS(:nITEMS) + FIRST
"""
LISTED = [("grps", "grps", "", 0), ("typeids", "types", "", 0), ("varids", "vars", "", 1), ("unlimdims", "dims", "", 1),
          ("dimids", "dims", ", include_parents", 1)]
# Sizes are megabytes, preemption is in hundredths; what is negative stays.
CACHES = """
nf_VERB_chunk_cache(IDSsize, nelems, preemption)
  integer, intent(in) :: ncid, varid
  integer, intent(INTENT) :: size, nelems, preemption
  interface
    function nc_VERB_chunk_cache_ints(IDSsize, nelems, preemption) bind(c) result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), HOW :: size, nelems, preemption
      integer(c_int) :: status
    end function nc_VERB_chunk_cache_ints
  end interface
= nc_VERB_chunk_cache_ints(GIVENsize, nelems, preemption)
"""
ATTRIBUTES = """
nf_put_att_NAME(ncid, varid, name, xtype, len, values)
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  TYPE, intent(in) :: values(*)
  interface
    function nc_put_att_CNAME(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: WORDS
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      CTYPE, intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_CNAME
  end interface
= nc_put_att_CNAME(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)

nf_get_att_NAME(ncid, varid, name, values)
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  TYPE, intent(inout) :: values(*)
  integer :: length
= nf90_inquire_attribute(ncid, varid, name, len=length)
if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
"""
# MORE: the arguments between varid and the values, and what becomes of them.
PARTS = [("var", "", "shape", "", "count=shape"), ("vara", "start, count", "count(:rank)", "", "start(:rank), count(:rank)"),
         ("vars", "start, count, stride", "count(:rank)", "", "start(:rank), count(:rank), stride(:rank)"),
         ("varm", "start, count, stride, map", "count(:rank)", ", map(:rank)", "start(:rank), count(:rank), stride(:rank), map(:rank)")]


def function(name, declarations, statements, uses):
    yield ""
    head = broken("function %s(" % name[0], name[1], ") result(status)", 0)
    yield from head if name[1] else ["function %s() result(status)" % name[0]]
    for line in uses + ["implicit none"] + declarations:
        yield "  " + line
    if not any(line.endswith(":: status") and not line.startswith(" ") for line in declarations):
        yield "  integer :: status"
    yield ""
    for line in statements:
        yield "  " + line
    yield "end function %s" % name[0]


def written(text):
    """The functions of a template."""
    for block in text.strip("\n").split("\n\n"):
        head, *lines = block.split("\n")
        name, arguments = re.match(r"(\w+)\((.*)\)$", head).groups()
        declarations = [line[2:] for line in lines if line.startswith("  ")]
        statements = [re.sub("^= ", "status = ", line) for line in lines if not line.startswith("  ")]
        uses = sorted(set(re.findall(r"nf90_\w+", " ".join(statements))))
        kinds = sorted({w for line in lines if not line.startswith("    ") for w in re.findall(r"\b(?:int8|int16|int32|int64|real32|real64)\b", line)})
        of_c = sorted({w for line in lines if " import " not in line for w in re.findall(r"\bc_\w+", line)})
        more = ["use nczarr, only: " + ", ".join(uses)] if uses else []
        more += ["use nczarr_netcdf77, only: find_rank"] if "find_rank" in block else []
        more += ["use, intrinsic :: iso_c_binding, only: " + ", ".join(of_c)] if of_c else []
        more += ["use, intrinsic :: iso_fortran_env, only: " + ", ".join(kinds)] if kinds else []
        yield (name, arguments, declarations, statements, more)


def same():
    for name, arguments in passed():
        if name in SAME:
            yield ("nf_" + name, ", ".join(a for a, _ in arguments), ["%s :: %s" % (k, ", ".join(n)) for k, n in declared(arguments, outside)],
                   ["status = nf90_%s(%s)" % (name, ", ".join(a for a, _ in arguments))], ["use nczarr, only: nf90_" + name])


def data(verb, name, ftype):
    """Values of variables of one kind."""
    intent, text = {"put": "in", "get": "inout"}[verb], name == "text"
    kind = "" if text else re.search(r"\((\w+)\)", ftype).group(1)
    uses = ["use nczarr, only: nf90_noerr, nf90_%s_var" % verb]
    env = [] if text else ["use, intrinsic :: iso_fortran_env, only: " + kind]
    yield ("nf_%s_var1_%s" % (verb, name), "ncid, varid, start, values", ["integer, intent(in) :: ncid, varid, start(*)",
           "%s, intent(%s) :: values" % ("character(len=*)" if text else ftype, intent), "integer :: rank"],
           ["call find_rank(ncid, varid, rank, status)",
            "if (status == nf90_noerr) status = nf90_%s_var(ncid, varid, values%s, start(:rank)%s)" %
            (verb, "(:1)" if text else "", ", spread(1, 1, rank)" if text else "")],
           uses + ["use nczarr_netcdf77, only: find_rank"] + env)
    for part, more, count, maps, given in PARTS:
        whole = part == "var"
        last = "nelems(%s%s)" % (count, maps)
        blank = ['if (status == nf90_noerr) values(1) = ""'] if text and verb == "get" else []  # as netcdf-fortran does
        if text:
            last = "(%s + len(values) - 1) / len(values)" % last
        yield ("nf_%s_%s_%s" % (verb, part, name), "ncid, varid, " + (more + ", " if more else "") + "values",
               ["integer, intent(in) :: ncid, varid" + "".join(", %s(*)" % m for m in more.split(", ") if m),
                "%s, intent(%s) :: values(*)" % (ftype, intent), "integer, allocatable :: shape(:)" if whole else "integer :: rank"],
               ["call find_shape(ncid, varid, shape, status)" if whole else "call find_rank(ncid, varid, rank, status)"] + blank + [
                "if (status == nf90_noerr) status = nf90_%s_var(ncid, varid, &" % verb, "  values(:%s), &" % last, "  %s)" % given],
               uses + ["use nczarr_netcdf77, only: %s, nelems" % ("find_shape" if whole else "find_rank")] + env)


def lists():
    for what, items, more, first in LISTED:
        words = {"WHAT": what, "ITEMS": items, "MORE": more, "FIRST": str(first)}
        text = re.sub("WHAT|ITEMS|MORE|FIRST", lambda m: words[m.group()], LISTS).strip("\n")
        yield from written(text if first else text.rpartition("\n")[0])


def caches():
    for verb, intent, how in (("set", "in", "value"), ("get", "out", "intent(out)")):
        for var in (False, True):
            words = {"VERB": verb + "_var" * var, "INTENT": intent, "HOW": how, "IDS": "ncid, varid, " * var, "GIVEN": "ncid, varid - 1, " * var}
            lines = re.sub("VERB|INTENT|HOW|IDS|GIVEN", lambda m: words[m.group()], CACHES).strip("\n").split("\n")
            yield from written("\n".join(line for line in lines if var or not line.endswith(":: ncid, varid")))


def functions():
    yield from same()
    yield from written(OTHERS)
    yield from lists()
    yield from caches()
    for name, ftype, ctype, cname, _ in NUMBERS:
        words = {"NAME": KINDS[name], "TYPE": ftype, "CTYPE": ctype, "CNAME": cname,
                 "WORDS": ", ".join(sorted({"c_int", "c_size_t", "c_char", re.search(r"c_\w+", ctype).group()}))}
        yield from written(re.sub("NAME|CTYPE|TYPE|WORDS", lambda m: words[m.group()], ATTRIBUTES.replace("CNAME", cname)))
    for name, ftype in [("text", "character(len=*)")] + [(KINDS[n], f) for n, f, *_ in NUMBERS]:
        for verb in ("put", "get"):
            yield from data(verb, name, ftype)


def source():
    lines = [HEAD.rstrip("\n")]
    for name, arguments, declarations, statements, uses in functions():
        lines += function((name, [a for a in arguments.split(", ") if a]), declarations, statements, uses)
    return "\n".join(lines) + "\n"


def constants():
    """(name without nf90_, value) of the whole numbers in nczarr.f90."""
    with open(SOURCE, encoding="utf-8") as f:
        text = f.read().partition("\ncontains\n")[0]
    found = {}
    for name, value in re.findall(r"\bnf90_(\w+) = (-?\d+\b(?!_)|nf90_\w+)(?![\w.])", text):
        value = found.get(value[5:]) if value.startswith("nf90_") else value
        if value is not None:
            found[name] = value
    return found.items()


REALS = [("fill_float", "real", "9.9692099683868690e+36"), ("fill_real", "real", "9.9692099683868690e+36"),
         ("fill_double", "double precision", "9.9692099683868690d+36")]
SMALL = [("fill_byte", -127), ("fill_int1", -127), ("fill_char", 0), ("fill_short", -32767), ("fill_int2", -32767), ("fill_int", -2147483647),
         ("fill_ubyte", 255), ("fill_ushort", 65535)]


def include():
    lines = ["! SPDX-License-Identifier: BSD-3-Clause", "!", "! netCDF's Fortran 77 interface, for sources in fixed and in free form; the functions are in", "! netcdf77.f90. generate77.py writes it."]
    for name, value in list(constants()) + SMALL:
        lines += ["      integer nf_" + name, "      parameter (nf_%s = %s)" % (name, value)]
    for name, kind, value in REALS:
        lines += ["      %s nf_%s" % (kind, name), "      parameter (nf_%s = %s)" % (name, value)]
    for name, _, declarations, *_ in functions():
        of = [d for d in declarations if d.endswith(":: status") and not d.startswith(" ")]
        kind = "character*80" if of and "character" in of[0] else "logical" if of else "integer"
        lines += ["      %s %s" % (kind, name), "      external " + name]
    return "\n".join(lines) + "\n"


def main():
    bad = []
    for path, text in ((FUNCTIONS, source()), (INCLUDE, include())):
        old = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                old = f.read()
        if old != text and "--check" in sys.argv:
            bad.append("fortran/%s is not what generate77.py writes: run it" % os.path.basename(path))
        elif old != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
