! SPDX-License-Identifier: BSD-3-Clause
! What is defined, asked and refused: dimensions in Fortran's order, numbers from 1, attributes, texts, strings, groups,
! types, fill values, storage. The argument is the dataset; `tests/fortran/run` shows it with nczdump and compares.
program definitions
  use netcdf
  use nczarr, only: nczarr_errmsg, nczarr_version
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc
  implicit none

  type, bind(c) :: point
    integer(c_int) :: id
    real(c_double) :: height
  end type point

  character(len=512) :: path
  integer :: ncid

  call get_command_argument(1, path)
  call check(nf90_create(path, ior(nf90_netcdf4, nf90_clobber), ncid), "create")
  call dimensions()
  call storage()
  call texts()
  call fills()
  call groups()
  call types()
  call refusals()
  call check(nf90_close(ncid), "close")
  call again()
  print '(a)', trim(nczarr_version())

contains

  subroutine check(status, what)
    integer, intent(in) :: status
    character(len=*), intent(in) :: what

    if (status == nf90_noerr) return
    print '(4a)', what, ": ", trim(nf90_strerror(status)), ": "//nczarr_errmsg()
    error stop 1
  end subroutine check

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what

    if (holds) return
    print '(2a)', "wrong: ", what
    error stop 1
  end subroutine expect

  subroutine dimensions()
    integer :: x, y, time, varid, other, n, ids(3), natts, xtype, unlimited, format
    character(len=nf90_max_name) :: name

    call check(nf90_def_dim(ncid, "x", 3, x), "def_dim")
    call check(nf90_def_dim(ncid, "y", 2, y), "def_dim")
    call check(nf90_def_dim(ncid, "time  ", nf90_unlimited, time), "def_dim")
    call expect(all([x, y, time] == [1, 2, 3]), "dimensions count from 1")
    call check(nf90_def_var(ncid, "wind", nf90_float, [x, y, time], varid, chunksizes=[3, 1, 1], deflate_level=4, &
      shuffle=.true., fletcher32=.true.), "def_var")
    call expect(varid == 1, "variables count from 1")
    call check(nf90_inquire_variable(ncid, varid, name, xtype, n, ids, natts), "inquire_variable")
    call expect(name == "wind" .and. xtype == nf90_float .and. n == 3 .and. natts == 0, "a variable")
    call expect(all(ids == [x, y, time]), "its dimensions")
    call check(nf90_inq_varid(ncid, "wind", other), "inq_varid")
    call check(nf90_inq_dimid(ncid, "time", other), "inq_dimid")
    call expect(other == time, "a dimension by its name")
    call check(nf90_put_var(ncid, varid, reshape([1., 2., 3., 4., 5., 6.], [3, 2, 1])), "put_var")
    call check(nf90_put_var(ncid, varid, [7., 8.], start=[2, 1, 2], count=[2, 1, 1]), "put_var")
    call check(nf90_inquire_dimension(ncid, time, name, n), "inquire_dimension")
    call expect(name == "time" .and. n == 2, "a record dimension")
    call check(nf90_inquire(ncid, n, other, natts, unlimited, format), "inquire")
    call expect(n == 3 .and. other == 1 .and. natts == 0 .and. unlimited == time, "a dataset")
  end subroutine dimensions

  subroutine storage()
    integer :: varid, lengths(2), level, endian, n, parameters(4), id
    logical :: contiguous, shuffle, fletcher32

    call check(nf90_inquire_variable(ncid, 1, contiguous=contiguous, deflate_level=level, shuffle=shuffle, &
      fletcher32=fletcher32, endianness=endian), "inquire_variable")
    call expect(.not. contiguous .and. level == 4 .and. shuffle .and. fletcher32, "its storage")
    call check(nf90_def_var(ncid, "plain", nf90_int, [2, 1], varid, contiguous=.true.), "def_var")
    call check(nf90_def_var(ncid, "chunked", nf90_int, [2, 1], varid), "def_var")
    call check(nf90_def_var_chunking(ncid, varid, nf90_chunked, [2, 3]), "def_var_chunking")
    call check(nf90_def_var_deflate(ncid, varid, 0, 1, 5), "def_var_deflate")
    call check(nf90_inquire_variable(ncid, varid, chunksizes=lengths), "inquire_variable")
    call expect(all(lengths == [2, 3]), "the lengths of chunks")
    call check(nf90_inq_var_filter(ncid, varid, id, n, parameters), "inq_var_filter")
    call expect(id == 1 .and. n == 1 .and. parameters(1) == 5, "a filter")
    call check(nf90_put_var(ncid, varid, reshape([1, 2, 3, 4, 5, 6], [2, 3])), "put_var")
    call expect(nf90_def_var(ncid, "no", nf90_int, [1], varid, contiguous=.true., chunksizes=[1]) == nf90_einval, &
      "both kinds of storage")
  end subroutine storage

  subroutine texts()
    integer :: varid, dimid, numbers(2), xtype, length, attnum
    real :: one
    character(len=5) :: names(3), got(3)
    character(len=12) :: text
    character(len=2) :: short

    names = ["alpha", "be   ", "c    "]
    call check(nf90_def_dim(ncid, "letters", 5, dimid), "def_dim")
    call check(nf90_def_var(ncid, "characters", nf90_char, [dimid, 1], varid), "def_var")
    call check(nf90_put_var(ncid, varid, names), "put_var of characters")
    call check(nf90_get_var(ncid, varid, got), "get_var of characters")
    call expect(all(got == names), "characters")
    call check(nf90_get_var(ncid, varid, text(:3), start=[2, 1]), "get_var of a part")
    call expect(text(:3) == "lph", "a part of a text")
    call check(nf90_def_var(ncid, "strings", nf90_string, [1], varid), "def_var")
    call check(nf90_put_var(ncid, varid, names), "put_var of strings")
    got = "?"
    call check(nf90_get_var(ncid, varid, got(3:1:-1)), "get_var of strings")
    call expect(all(got == names(3:1:-1)), "strings")
    call check(nf90_put_att(ncid, varid, "units", "m s-1  "), "put_att")
    call check(nf90_put_att(ncid, varid, "numbers", [4, 5]), "put_att")
    call check(nf90_put_att(ncid, varid, "one", 0.5), "put_att")
    call check(nf90_put_att(ncid, varid, "words", names), "put_att of strings")
    call check(nf90_get_att(ncid, varid, "units", text), "get_att")
    call expect(text == "m s-1", "a text without trailing blanks")
    call check(nf90_inquire_attribute(ncid, varid, "units", xtype, length, attnum), "inquire_attribute")
    call expect(xtype == nf90_char .and. length == 5 .and. attnum == 1, "an attribute")
    call expect(nf90_get_att(ncid, varid, "units", short) == nf90_ests .and. short == "m ", "a text that is too long")
    call check(nf90_get_att(ncid, varid, "numbers", numbers), "get_att")
    call check(nf90_get_att(ncid, varid, "one", one), "get_att")
    call expect(all(numbers == [4, 5]) .and. one == 0.5, "numbers of attributes")
    call expect(nf90_get_att(ncid, varid, "numbers", numbers(:1)) == nf90_ests, "an attribute that is too long")
    call check(nf90_get_att(ncid, varid, "words", got), "get_att of strings")
    call expect(all(got == names), "strings of an attribute")
    call check(nf90_inq_attname(ncid, varid, 2, text), "inq_attname")
    call expect(text == "numbers", "the second attribute")
    call check(nf90_put_att(ncid, nf90_global, "title", "definitions"), "put_att of the dataset")
  end subroutine texts

  subroutine fills()
    integer :: varid, off, number
    real :: real_number

    call check(nf90_def_var(ncid, "filled", nf90_short, [1], varid), "def_var")
    call check(nf90_def_var_fill(ncid, varid, 0, -5), "def_var_fill with another kind")
    call check(nf90_inq_var_fill(ncid, varid, off, number), "inq_var_fill")
    call check(nf90_inq_var_fill(ncid, varid, off, real_number), "inq_var_fill")
    call expect(off == 0 .and. number == -5 .and. real_number == -5., "a fill value")
    call expect(nf90_def_var_fill(ncid, varid, 0, 40000) == nf90_erange, "a fill value that does not fit")
    call check(nf90_def_var(ncid, "unsigned", nf90_ubyte, [1], varid), "def_var")
    call check(nf90_def_var_fill(ncid, varid, 0, nf90_fill_ubyte), "def_var_fill of an unsigned type")
    call check(nf90_inq_var_fill(ncid, varid, off, number), "inq_var_fill")
    call expect(number == 255, "an unsigned fill value")
  end subroutine fills

  subroutine groups()
    integer :: child, other, varid, n, ids(4), length
    character(len=nf90_max_name) :: name

    call check(nf90_def_grp(ncid, "child", child), "def_grp")
    call check(nf90_inq_grps(ncid, n, ids), "inq_grps")
    call expect(n == 1 .and. ids(1) == child, "groups")
    call check(nf90_inq_ncid(ncid, "child", other), "inq_ncid")
    call check(nf90_inq_grpname_full(child, length, name), "inq_grpname_full")
    call expect(other == child .and. name == "/child" .and. length == 6, "a group")
    call check(nf90_def_var(child, "scalar", nf90_double, varid), "def_var of a scalar")
    call check(nf90_put_var(child, varid, 2.5d0), "put_var of a scalar")
    call check(nf90_inq_varids(child, n, ids), "inq_varids")
    call expect(n == 1 .and. ids(1) == varid, "variables of a group")
    call check(nf90_inq_dimids(ncid, n, ids, 0), "inq_dimids")
    call expect(n == 4 .and. all(ids == [1, 2, 3, 4]), "dimensions of a group")
    call expect(nf90_inq_varids(child, n, ids(:0)) == nf90_einval, "an array that is too small")
  end subroutine groups

  subroutine types()
    integer :: compound, enum, varid, number
    type(point), target :: points(3), got(3)
    character(len=nf90_max_name) :: name

    call check(nf90_def_compound(ncid, 16, "point", compound), "def_compound")
    call check(nf90_insert_compound(ncid, compound, "id", 0, nf90_int), "insert_compound")
    call check(nf90_insert_compound(ncid, compound, "height", 8, nf90_double), "insert_compound")
    call check(nf90_def_var(ncid, "points", compound, [1], varid), "def_var of a compound type")
    points = [point(1, 1.5d0), point(2, 2.5d0), point(3, 3.5d0)]
    call check(nf90_put_var_any(ncid, varid, c_loc(points), start=[1], count=[3]), "put_var_any")
    call check(nf90_get_var_any(ncid, varid, c_loc(got), start=[1], count=[3]), "get_var_any")
    call expect(all(got%id == points%id) .and. all(got%height == points%height), "compound values")
    call check(nf90_inq_compound_fieldname(ncid, compound, 2, name), "inq_compound_fieldname")
    call expect(name == "height", "the second field")
    call check(nf90_def_enum(ncid, nf90_byte, "sky", enum), "def_enum")
    call check(nf90_insert_enum(ncid, enum, "clear", 0), "insert_enum")
    call check(nf90_insert_enum(ncid, enum, "cloudy", 100), "insert_enum")
    call check(nf90_inq_enum_member(ncid, enum, 2, name, number), "inq_enum_member")
    call expect(name == "cloudy" .and. number == 100, "the second member")
  end subroutine types

  subroutine refusals()
    integer :: varid, other

    call expect(nf90_inq_varid(ncid, "nothing", varid) == nf90_enotvar, "a variable that is not there")
    call expect(nf90_get_var(ncid, 1, varid, start=[4, 1, 1]) == nf90_einvalcoords, "an index out of range")
    call expect(nf90_put_var(ncid, 1, [1, 2], start=[3, 1, 1]) == nf90_eedge, "a count out of range")
    call expect(nf90_open("nowhere.zarr", nf90_nowrite, other) /= nf90_noerr, "a dataset that is not there")
    call expect(index(nczarr_errmsg(), "nowhere.zarr") > 0, "the text names it")
    call expect(nf90_create(path, nf90_clobber, other, comm=0) == nf90_einval, "a communicator without info")
  end subroutine refusals

  subroutine again()
    real :: got(3, 2, 2)
    integer :: varid, format

    call check(nf90_open(path, nf90_nowrite, ncid, cache_size=1000000, cache_nelems=10, cache_preemption=0.5), "open")
    call check(nf90_inq_format(ncid, format), "inq_format")
    call expect(format == nf90_format_netcdf4, "the format")
    call check(nf90_inq_varid(ncid, "wind", varid), "inq_varid")
    call check(nf90_get_var(ncid, varid, got), "get_var")
    call expect(all(got(:, :, 1) == reshape([1., 2., 3., 4., 5., 6.], [3, 2])), "the first record")
    call expect(all(got(2:3, 1, 2) == [7., 8.]) .and. got(1, 1, 2) == nf90_fill_float, "the second record")
    call check(nf90_close(ncid), "close")
  end subroutine again
end program definitions
