"""A program that puts and gets arrays of each kind and rank: whole, in part, with strides, with a map, and as parts of a
larger array."""
KINDS = {"integer(int8)": "nf90_byte", "integer(int16)": "nf90_short", "integer(int32)": "nf90_int", "integer(int64)": "nf90_int64",
         "real(real32)": "nf90_float", "real(real64)": "nf90_double"}
LENGTHS = (4, 3, 2, 3, 2, 2, 3)

HEAD = """program kinds
  use netcdf
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  character(len=512) :: path
  integer :: ncid, dims(7), lengths(7), i, ignored, formats
  lengths = [%s]
  call get_command_argument(1, path)
  formats = command_argument_count()
  call check(nf90_create(path, merge(nf90_clobber, ior(nf90_clobber, nf90_netcdf4), formats > 1), ncid))
  ignored = nf90_set_fill(ncid, nf90_nofill, i)
  do i = 1, 7
    call check(nf90_def_dim(ncid, "d"//achar(48 + i), lengths(i), dims(i)))
  end do
"""
TAIL = """  call check(nf90_close(ncid))
  print '(a)', "all kinds and ranks"
contains
  subroutine check(status)
    integer, intent(in) :: status
    if (status == nf90_noerr) return
    print '(a)', trim(nf90_strerror(status))
    error stop 1
  end subroutine check
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(2a)', "wrong: ", what
    error stop 1
  end subroutine expect
"""
ONE = """  subroutine {name}()
    {kind} :: a({shape}), b({shape}), wide({wide})
    integer :: varid, i
    call check(nf90_redef_if(ncid))
    call check(nf90_def_var(ncid, "{name}", {nctype}, dims(:{rank}), varid))
    call check(nf90_enddef(ncid))
    a = reshape([({value}, i=1, {total})], shape(a))
    call check(nf90_put_var(ncid, varid, a))
    b = 0
    call check(nf90_get_var(ncid, varid, b))
    call expect(all(a == b), "{name}: the whole")
    wide = 7
    call check(nf90_get_var(ncid, varid, wide(2:8:2{rest})))
    call expect(all(wide(2:8:2{rest}) == a) .and. all(wide(1:7:2{rest}) == 7), "{name}: into parts of an array")
    wide(1:7:2{rest}) = a + {unit}
    call check(nf90_put_var(ncid, varid, wide(1:7:2{rest})))
    b = 5
    call check(nf90_get_var(ncid, varid, b({first}), start=[{starts}], count=[{counts}], stride=[{strides}]))
    call expect(all(b({first}) == a({strided}) + {unit}) .and. all(b(3:{rest}) == 5), "{name}: a part with strides")
{map}  end subroutine {name}
"""
MAP = """    block
      {kind} :: turned({turned})
      call check(nf90_get_var(ncid, varid, turned, count=lengths(:{rank}), map=[{maps}]))
      call expect(all(reshape(turned, shape(a), order=[{order}]) == a + {unit}), "{name}: with a map")
      turned = turned + {unit}
      call check(nf90_put_var(ncid, varid, turned, count=lengths(:{rank}), map=[{maps}]))
      call check(nf90_get_var(ncid, varid, b))
      call expect(all(b == a + {unit} + {unit}), "{name}: put with a map")
    end block
"""
SCALAR = """  subroutine {name}()
    {kind} :: a, b
    integer :: varid
    call check(nf90_redef_if(ncid))
    call check(nf90_def_var(ncid, "{name}", {nctype}, dims(:1), varid))
    call check(nf90_enddef(ncid))
    a = 3
    call check(nf90_put_var(ncid, varid, a, start=[2]))
    b = 0
    call check(nf90_get_var(ncid, varid, b, start=[2]))
    call expect(a == b, "{name}")
  end subroutine {name}
"""
TEXT = """  subroutine text_{rank}()
    character(len=6) :: a({shape}), b({shape})
    integer :: varid, i, letters, all_dims({rank} + 1)
    call check(nf90_redef_if(ncid))
    if (nf90_inq_dimid(ncid, "letters", letters) /= nf90_noerr) call check(nf90_def_dim(ncid, "letters", 6, letters))
    all_dims = [letters, dims(:{rank})]
    call check(nf90_def_var(ncid, "text_{rank}", nf90_char, all_dims, varid))
    call check(nf90_enddef(ncid))
    a = reshape([(achar(97 + mod(i, 26))//"b"//achar(65 + mod(i, 7)), i=1, {total})], shape(a))
    call check(nf90_put_var(ncid, varid, a))
    call check(nf90_get_var(ncid, varid, b))
    call expect(all(a == b), "text_{rank}")
    if (formats > 1) return
    call check(nf90_def_var(ncid, "string_{rank}", nf90_string, dims(:{rank}), varid))
    call check(nf90_put_var(ncid, varid, a))
    b = "?"
    call check(nf90_get_var(ncid, varid, b))
    call expect(all(a == b), "string_{rank}")
  end subroutine text_{rank}
"""
REDEF = """  integer function nf90_redef_if(id)
    integer, intent(in) :: id
    nf90_redef_if = nf90_redef(id)
    if (nf90_redef_if == nf90_eindefine) nf90_redef_if = nf90_noerr
  end function nf90_redef_if
"""


def one(kind, nctype, rank):
    name = "%s_%d" % (nctype[5:], rank)
    if rank == 0:
        return name, SCALAR.format(name=name, kind=kind, nctype=nctype)
    lengths, total = LENGTHS[:rank], 1
    for n in lengths:
        total *= n
    words = {"name": name, "kind": kind, "nctype": nctype, "rank": rank, "total": total, "shape": ", ".join(map(str, lengths)),
             "wide": ", ".join(map(str, (8,) + lengths[1:])), "rest": ", :" * (rank - 1),
             "value": ("int(mod(i, 100), %s)" if kind.startswith("int") else "real(i, %s) / 2") % kind[kind.index("(") + 1:-1],
             "starts": ", ".join(["2"] + ["1"] * (rank - 1)), "counts": ", ".join(["2"] + [str(n) for n in lengths[1:]]),
             "strides": ", ".join(["2"] + ["1"] * (rank - 1)), "first": "1:2" + ", :" * (rank - 1), "strided": "2:4:2" + ", :" * (rank - 1)}
    words["unit"] = "1_" + kind[kind.index("(") + 1:-1]
    words["map"] = ""
    if rank > 1:  # the last dimension the fastest
        maps, step = [0] * rank, 1
        for d in reversed(range(rank)):
            maps[d], step = step, step * lengths[d]
        words["map"] = MAP.format(kind=kind, rank=rank, name=name, unit=words["unit"], turned=", ".join(map(str, reversed(lengths))), maps=", ".join(map(str, maps)),
                                  order=", ".join(str(d) for d in range(rank, 0, -1)))
    return name, ONE.format(**words)


def wrapped(text):
    """Lines of at most 120 characters."""
    out = []
    for line in text.splitlines():
        while len(line) > 120:
            at = line.rfind(", ", 0, 110) + 2
            out.append(line[:at].rstrip() + " &")
            line = "      " + line[at:]
        out.append(line)
    return "\n".join(out) + "\n"


def program(classic):
    """Its text. `classic`: without the kinds and types that classic files lack."""
    names, bodies = [], []
    for kind, nctype in KINDS.items():
        if classic and nctype == "nf90_int64":
            continue
        for rank in range(8):
            name, body = one(kind, nctype, rank)
            names.append(name)
            bodies.append(body)
    for rank in range(1, 8):
        total = 1
        for n in LENGTHS[:rank]:
            total *= n
        names.append("text_%d" % rank)
        bodies.append(TEXT.format(rank=rank, total=total, shape=", ".join(map(str, LENGTHS[:rank]))))
    return wrapped(HEAD % ", ".join(map(str, LENGTHS)) + "".join("  call %s()\n" % n for n in names) + TAIL + REDEF + "".join(bodies) + "end program kinds\n")
