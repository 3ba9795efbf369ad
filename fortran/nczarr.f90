! SPDX-License-Identifier: BSD-3-Clause
!
! nczarr in Fortran: the functions of netCDF's Fortran 90 interface (nf90_...) over the C library, in one file. Compile it
! with a program and link libnczarr; netcdf.f90 beside it gives the same as `use netcdf`. It needs a compiler of Fortran
! 2018, and no other file.
!
! As there, dimensions are in Fortran's order, the fastest first, and indices, dimensions, variables and attributes count
! from 1. Beyond it: variables and attributes of type nf90_string are arrays of characters, and functions of the C library
! that netCDF lacks begin with nczarr_.
!
! The parts between `==== generated` and `==== end` are written by generate.py.
module nczarr
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_int, c_intptr_t, c_loc, &
    c_long_long, c_null_char, c_null_ptr, c_ptr, c_short, c_signed_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private

  integer, parameter, public :: &
    nf90_byte = 1, nf90_int1 = nf90_byte, nf90_char = 2, nf90_short = 3, nf90_int2 = nf90_short, nf90_int = 4, &
    nf90_int4 = nf90_int, nf90_float = 5, nf90_real = nf90_float, nf90_real4 = nf90_float, nf90_double = 6, &
    nf90_real8 = nf90_double, nf90_ubyte = 7, nf90_ushort = 8, nf90_uint = 9, nf90_int64 = 10, nf90_uint64 = 11, &
    nf90_string = 12, nf90_vlen = 13, nf90_opaque = 14, nf90_enum = 15, nf90_compound = 16

  character(len=1), parameter, public :: nf90_fill_char = achar(0)
  integer(int8), parameter, public :: nf90_fill_byte = -127_int8, nf90_fill_int1 = nf90_fill_byte
  integer(int16), parameter, public :: &
    nf90_fill_short = -32767_int16, nf90_fill_int2 = nf90_fill_short, nf90_fill_ubyte = 255_int16, &
    nf90_fill_uint1 = nf90_fill_ubyte
  integer(int32), parameter, public :: &
    nf90_fill_int = -2147483647_int32, nf90_fill_ushort = 65535_int32, nf90_fill_uint2 = nf90_fill_ushort
  integer(int64), parameter, public :: nf90_fill_uint = 4294967295_int64, nf90_fill_int64 = -9223372036854775806_int64
  real(real32), parameter, public :: &
    nf90_fill_float = 9.9692099683868690e+36_real32, nf90_fill_real = nf90_fill_float, nf90_fill_real4 = nf90_fill_float
  real(real64), parameter, public :: &
    nf90_fill_double = 9.9692099683868690e+36_real64, nf90_fill_real8 = nf90_fill_double

  integer, parameter, public :: &
    nf90_nowrite = 0, nf90_write = 1, nf90_clobber = 0, nf90_noclobber = 4, nf90_fill = 0, nf90_nofill = 256, &
    nf90_diskless = 8, nf90_mmap = 16, nf90_64bit_data = 32, nf90_cdf5 = nf90_64bit_data, nf90_classic_model = 256, &
    nf90_64bit_offset = 512, nf90_lock = 1024, nf90_share = 2048, nf90_netcdf4 = 4096, nf90_hdf5 = nf90_netcdf4, &
    nf90_mpiio = 8192, nf90_mpiposix = 16384, nf90_pnetcdf = 32768, nf90_persist = 16384, nf90_inmemory = 32768
  integer, parameter, public :: nf90_sizehint_default = 0, nf90_align_chunk = -1, nf90_unlimited = 0, nf90_global = 0
  integer, parameter, public :: &
    nf90_max_dims = 1024, nf90_max_attrs = 8192, nf90_max_vars = 8192, nf90_max_name = 256, nf90_max_var_dims = 1024
  integer, parameter, public :: &
    nf90_format_classic = 1, nf90_format_64bit = 2, nf90_format_64bit_offset = nf90_format_64bit, &
    nf90_format_netcdf4 = 3, nf90_format_netcdf4_classic = 4, nf90_format_64bit_data = 5, &
    nf90_format_cdf5 = nf90_format_64bit_data
  integer, parameter, public :: &
    nf90_fatal = 1, nf90_verbose = 2, nf90_independent = 0, nf90_collective = 1, &
    nf90_chunk_seq = 0, nf90_chunk_sub = 1, nf90_chunk_sizes = 2, &
    nf90_endian_native = 0, nf90_endian_little = 1, nf90_endian_big = 2, &
    nf90_chunked = 0, nf90_notcontiguous = 0, nf90_contiguous = 1, nf90_compact = 2, &
    nf90_nochecksum = 0, nf90_fletcher32 = 1, nf90_noshuffle = 0, nf90_shuffle = 1, &
    nf90_szip_ec_option_mask = 4, nf90_szip_nn_option_mask = 32, &
    nf90_noquantize = 0, nf90_quantize_bitgroom = 1, nf90_quantize_granularbr = 2, nf90_quantize_bitround = 3
  integer, parameter, public :: nf90_noerr = 0, nf904_first_error = -100, nf904_last_error = -142
  ! ==== generated: error codes
  integer, parameter, public :: nf90_exdr = -32
  integer, parameter, public :: nf90_ebadid = -33
  integer, parameter, public :: nf90_enfile = -34
  integer, parameter, public :: nf90_eexist = -35
  integer, parameter, public :: nf90_einval = -36
  integer, parameter, public :: nf90_eperm = -37
  integer, parameter, public :: nf90_enotindefine = -38
  integer, parameter, public :: nf90_eindefine = -39
  integer, parameter, public :: nf90_einvalcoords = -40
  integer, parameter, public :: nf90_emaxdims = -41
  integer, parameter, public :: nf90_enameinuse = -42
  integer, parameter, public :: nf90_enotatt = -43
  integer, parameter, public :: nf90_emaxatts = -44
  integer, parameter, public :: nf90_ebadtype = -45
  integer, parameter, public :: nf90_ebaddim = -46
  integer, parameter, public :: nf90_eunlimpos = -47
  integer, parameter, public :: nf90_emaxvars = -48
  integer, parameter, public :: nf90_enotvar = -49
  integer, parameter, public :: nf90_eglobal = -50
  integer, parameter, public :: nf90_enotnc = -51
  integer, parameter, public :: nf90_ests = -52
  integer, parameter, public :: nf90_emaxname = -53
  integer, parameter, public :: nf90_eunlimit = -54
  integer, parameter, public :: nf90_enorecvars = -55
  integer, parameter, public :: nf90_echar = -56
  integer, parameter, public :: nf90_eedge = -57
  integer, parameter, public :: nf90_estride = -58
  integer, parameter, public :: nf90_ebadname = -59
  integer, parameter, public :: nf90_erange = -60
  integer, parameter, public :: nf90_enomem = -61
  integer, parameter, public :: nf90_evarsize = -62
  integer, parameter, public :: nf90_edimsize = -63
  integer, parameter, public :: nf90_etrunc = -64
  integer, parameter, public :: nf90_eaxistype = -65
  integer, parameter, public :: nf90_edap = -66
  integer, parameter, public :: nf90_ecurl = -67
  integer, parameter, public :: nf90_eio = -68
  integer, parameter, public :: nf90_enodata = -69
  integer, parameter, public :: nf90_edapsvc = -70
  integer, parameter, public :: nf90_edas = -71
  integer, parameter, public :: nf90_edds = -72
  integer, parameter, public :: nf90_edatadds = -73
  integer, parameter, public :: nf90_edapurl = -74
  integer, parameter, public :: nf90_edapconstraint = -75
  integer, parameter, public :: nf90_etranslation = -76
  integer, parameter, public :: nf90_eaccess = -77
  integer, parameter, public :: nf90_eauth = -78
  integer, parameter, public :: nf90_enotfound = -90
  integer, parameter, public :: nf90_ecantremove = -91
  integer, parameter, public :: nf90_einternal = -92
  integer, parameter, public :: nf90_epnetcdf = -93
  integer, parameter, public :: nf90_ehdferr = -101
  integer, parameter, public :: nf90_ecantread = -102
  integer, parameter, public :: nf90_ecantwrite = -103
  integer, parameter, public :: nf90_ecantcreate = -104
  integer, parameter, public :: nf90_efilemeta = -105
  integer, parameter, public :: nf90_edimmeta = -106
  integer, parameter, public :: nf90_eattmeta = -107
  integer, parameter, public :: nf90_evarmeta = -108
  integer, parameter, public :: nf90_enocompound = -109
  integer, parameter, public :: nf90_eattexists = -110
  integer, parameter, public :: nf90_enotnc4 = -111
  integer, parameter, public :: nf90_estrictnc3 = -112
  integer, parameter, public :: nf90_enotnc3 = -113
  integer, parameter, public :: nf90_enopar = -114
  integer, parameter, public :: nf90_eparinit = -115
  integer, parameter, public :: nf90_ebadgrpid = -116
  integer, parameter, public :: nf90_ebadtypid = -117
  integer, parameter, public :: nf90_etypdefined = -118
  integer, parameter, public :: nf90_ebadfield = -119
  integer, parameter, public :: nf90_ebadclass = -120
  integer, parameter, public :: nf90_emaptype = -121
  integer, parameter, public :: nf90_elatefill = -122
  integer, parameter, public :: nf90_elatedef = -123
  integer, parameter, public :: nf90_edimscale = -124
  integer, parameter, public :: nf90_enogrp = -125
  integer, parameter, public :: nf90_estorage = -126
  integer, parameter, public :: nf90_ebadchunk = -127
  integer, parameter, public :: nf90_enotbuilt = -128
  integer, parameter, public :: nf90_ediskless = -129
  integer, parameter, public :: nf90_ecantextend = -130
  integer, parameter, public :: nf90_empi = -131
  integer, parameter, public :: nf90_efilter = -132
  integer, parameter, public :: nf90_ercfile = -133
  integer, parameter, public :: nf90_enullpad = -134
  integer, parameter, public :: nf90_einmemory = -135
  integer, parameter, public :: nf90_enofilter = -136
  integer, parameter, public :: nf90_enczarr = -137
  integer, parameter, public :: nf90_es3 = -138
  integer, parameter, public :: nf90_eempty = -139
  integer, parameter, public :: nf90_eobject = -140
  integer, parameter, public :: nf90_enoobject = -141
  integer, parameter, public :: nf90_eplugin = -142
  integer, parameter, public :: nf90_enotzarr = -143
  integer, parameter, public :: nf90_ezarrmeta = -144
  ! ==== end

  ! ==== generated: names
  public :: nf90_redef
  public :: nf90_sync
  public :: nf90_abort
  public :: nf90_close
  public :: nf90_delete
  public :: nf90_set_fill
  public :: nf90_set_base_pe
  public :: nf90_inq_base_pe
  public :: nf90_inq_format
  public :: nf90_def_dim
  public :: nf90_inq_dimid
  public :: nf90_rename_dim
  public :: nf90_copy_att
  public :: nf90_rename_att
  public :: nf90_del_att
  public :: nf90_inq_attname
  public :: nf90_inq_varid
  public :: nf90_rename_var
  public :: nf90_var_par_access
  public :: nf90_inq_ncid
  public :: nf90_inq_grp_ncid
  public :: nf90_inq_grp_full_ncid
  public :: nf90_inq_grp_parent
  public :: nf90_inq_grpname
  public :: nf90_inq_grpname_len
  public :: nf90_def_grp
  public :: nf90_rename_grp
  public :: nf90_inq_typeid
  public :: nf90_inq_type
  public :: nf90_inq_user_type
  public :: nf90_def_compound
  public :: nf90_insert_compound
  public :: nf90_inq_compound
  public :: nf90_inq_compound_name
  public :: nf90_inq_compound_size
  public :: nf90_inq_compound_nfields
  public :: nf90_inq_compound_fieldname
  public :: nf90_inq_compound_fieldindex
  public :: nf90_inq_compound_fieldoffset
  public :: nf90_inq_compound_fieldtype
  public :: nf90_inq_compound_fieldndims
  public :: nf90_def_vlen
  public :: nf90_inq_vlen
  public :: nf90_def_enum
  public :: nf90_inq_enum
  public :: nf90_inq_enum_ident
  public :: nf90_def_opaque
  public :: nf90_inq_opaque
  public :: nf90_def_var_deflate
  public :: nf90_inq_var_deflate
  public :: nf90_def_var_szip
  public :: nf90_inq_var_szip
  public :: nf90_def_var_zstandard
  public :: nf90_inq_var_zstandard
  public :: nf90_def_var_quantize
  public :: nf90_inq_var_quantize
  public :: nf90_def_var_fletcher32
  public :: nf90_inq_var_fletcher32
  public :: nf90_def_var_endian
  public :: nf90_inq_var_endian
  ! ==== end
  public :: nf90_inq_libvers, nf90_strerror, nf90_create, nf90_open, nf90_create_par, nf90_open_par, nf90_create_mp, &
    nf90_open_mp, nf90_enddef, nf90_inquire, nf90_inq_path, nf90_inquire_dimension, nf90_inquire_attribute, &
    nf90_def_var, nf90_inquire_variable, nf90_put_var, nf90_get_var, nf90_put_att, nf90_get_att, &
    nf90_inq_grps, nf90_inq_varids, nf90_inq_dimids, nf90_inq_typeids, nf90_inq_grpname_full, &
    nf90_insert_array_compound, nf90_inq_compound_field, nf90_inq_cmp_fielddim_sizes, nf90_insert_enum, &
    nf90_inq_enum_member, nf90_def_var_chunking, nf90_inq_var_chunking, nf90_def_var_fill, nf90_inq_var_fill, &
    nf90_def_var_filter, nf90_inq_var_filter, nf90_set_var_chunk_cache, nf90_put_att_any, nf90_get_att_any, &
    nf90_put_var_any, nf90_get_var_any
  public :: nczarr_version, nczarr_errmsg, nczarr_def_var_shards, nczarr_def_var_decomposition

  ! What nc_put_varm_... and nc_get_varm_... take, in C's order and counted from 0; strides and maps where there are any.
  type :: part
    integer(c_size_t), allocatable :: start(:), count(:)
    integer(c_intptr_t), allocatable :: strides(:), maps(:)
    type(c_ptr) :: stride = c_null_ptr, map = c_null_ptr
  end type part

  integer, parameter :: no_lengths(0) = [integer ::]

  interface nf90_def_var
    module procedure def_var_scalar, def_var_one, def_var_many
  end interface nf90_def_var
  interface nf90_put_att_any
    module procedure put_att_bytes, put_att_at
  end interface nf90_put_att_any
  interface nf90_get_att_any
    module procedure get_att_bytes, get_att_at
  end interface nf90_get_att_any
  interface nf90_put_var_any
    module procedure put_var_bytes, put_var_at
  end interface nf90_put_var_any
  interface nf90_get_var_any
    module procedure get_var_bytes, get_var_at
  end interface nf90_get_var_any
  ! ==== generated: generic names
  interface nf90_put_var
    module procedure put_0_text, put_0_int1, put_0_int2, put_0_int4, put_0_int8, put_0_real4, put_0_real8
    module procedure put_1_text, put_1_int1, put_1_int2, put_1_int4, put_1_int8, put_1_real4, put_1_real8
    module procedure put_2_text, put_2_int1, put_2_int2, put_2_int4, put_2_int8, put_2_real4, put_2_real8
    module procedure put_3_text, put_3_int1, put_3_int2, put_3_int4, put_3_int8, put_3_real4, put_3_real8
    module procedure put_4_text, put_4_int1, put_4_int2, put_4_int4, put_4_int8, put_4_real4, put_4_real8
    module procedure put_5_text, put_5_int1, put_5_int2, put_5_int4, put_5_int8, put_5_real4, put_5_real8
    module procedure put_6_text, put_6_int1, put_6_int2, put_6_int4, put_6_int8, put_6_real4, put_6_real8
    module procedure put_7_text, put_7_int1, put_7_int2, put_7_int4, put_7_int8, put_7_real4, put_7_real8
  end interface nf90_put_var
  interface nf90_put_att
    module procedure put_att_text, put_att_texts, put_att_int1, put_att_one_int1, &
        put_att_int2, put_att_one_int2, put_att_int4, put_att_one_int4, put_att_int8, put_att_one_int8, &
        put_att_real4, put_att_one_real4, put_att_real8, put_att_one_real8
  end interface nf90_put_att
  interface nf90_get_var
    module procedure get_0_text, get_0_int1, get_0_int2, get_0_int4, get_0_int8, get_0_real4, get_0_real8
    module procedure get_1_text, get_1_int1, get_1_int2, get_1_int4, get_1_int8, get_1_real4, get_1_real8
    module procedure get_2_text, get_2_int1, get_2_int2, get_2_int4, get_2_int8, get_2_real4, get_2_real8
    module procedure get_3_text, get_3_int1, get_3_int2, get_3_int4, get_3_int8, get_3_real4, get_3_real8
    module procedure get_4_text, get_4_int1, get_4_int2, get_4_int4, get_4_int8, get_4_real4, get_4_real8
    module procedure get_5_text, get_5_int1, get_5_int2, get_5_int4, get_5_int8, get_5_real4, get_5_real8
    module procedure get_6_text, get_6_int1, get_6_int2, get_6_int4, get_6_int8, get_6_real4, get_6_real8
    module procedure get_7_text, get_7_int1, get_7_int2, get_7_int4, get_7_int8, get_7_real4, get_7_real8
  end interface nf90_get_var
  interface nf90_get_att
    module procedure get_att_text, get_att_texts, get_att_int1, get_att_one_int1, &
        get_att_int2, get_att_one_int2, get_att_int4, get_att_one_int4, get_att_int8, get_att_one_int8, &
        get_att_real4, get_att_one_real4, get_att_real8, get_att_one_real8
  end interface nf90_get_att
  interface nf90_def_var_fill
    module procedure def_var_fill_int1, def_var_fill_int2, def_var_fill_int4, def_var_fill_int8, &
        def_var_fill_real4, def_var_fill_real8
  end interface nf90_def_var_fill
  interface nf90_inq_var_fill
    module procedure inq_var_fill_int1, inq_var_fill_int2, inq_var_fill_int4, inq_var_fill_int8, &
        inq_var_fill_real4, inq_var_fill_real8
  end interface nf90_inq_var_fill
  ! ==== end

  interface
      ! ==== generated: functions of C
      function nc_redef(ncid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int) :: status
      end function nc_redef
      function nc_sync(ncid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int) :: status
      end function nc_sync
      function nc_abort(ncid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int) :: status
      end function nc_abort
      function nc_close(ncid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int) :: status
      end function nc_close
      function nc_delete(path) bind(c) result(status)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int) :: status
      end function nc_delete
      function nc_set_fill(ncid, fillmode, old_mode) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: fillmode
        integer(c_int), intent(out) :: old_mode
        integer(c_int) :: status
      end function nc_set_fill
      function nc_set_base_pe(ncid, pe) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: pe
        integer(c_int) :: status
      end function nc_set_base_pe
      function nc_inq_base_pe(ncid, pe) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: pe
        integer(c_int) :: status
      end function nc_inq_base_pe
      function nc_inq_format(ncid, format_type) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: format_type
        integer(c_int) :: status
      end function nc_inq_format
      function nc_def_dim(ncid, name, len, dimid) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        integer(c_int), intent(out) :: dimid
        integer(c_int) :: status
      end function nc_def_dim
      function nc_inq_dimid(ncid, name, dimid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: dimid
        integer(c_int) :: status
      end function nc_inq_dimid
      function nc_rename_dim(ncid, dimid, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: dimid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int) :: status
      end function nc_rename_dim
      function nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid_in
        integer(c_int), value :: varid_in
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: ncid_out
        integer(c_int), value :: varid_out
        integer(c_int) :: status
      end function nc_copy_att
      function nc_rename_att(ncid, varid, curname, newname) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        character(kind=c_char), intent(in) :: curname(*)
        character(kind=c_char), intent(in) :: newname(*)
        integer(c_int) :: status
      end function nc_rename_att
      function nc_del_att(ncid, varid, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int) :: status
      end function nc_del_att
      function nc_inq_attname(ncid, varid, attnum, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: attnum
        character(kind=c_char), intent(out) :: name(*)
        integer(c_int) :: status
      end function nc_inq_attname
      function nc_inq_varid(ncid, name, varid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: varid
        integer(c_int) :: status
      end function nc_inq_varid
      function nc_rename_var(ncid, varid, newname) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        character(kind=c_char), intent(in) :: newname(*)
        integer(c_int) :: status
      end function nc_rename_var
      function nc_var_par_access(ncid, varid, access) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: access
        integer(c_int) :: status
      end function nc_var_par_access
      function nc_inq_ncid(ncid, name, grp_ncid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: grp_ncid
        integer(c_int) :: status
      end function nc_inq_ncid
      function nc_inq_grp_ncid(ncid, name, grpid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: grpid
        integer(c_int) :: status
      end function nc_inq_grp_ncid
      function nc_inq_grp_full_ncid(ncid, full_name, grpid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: full_name(*)
        integer(c_int), intent(out) :: grpid
        integer(c_int) :: status
      end function nc_inq_grp_full_ncid
      function nc_inq_grp_parent(ncid, parent_ncid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: parent_ncid
        integer(c_int) :: status
      end function nc_inq_grp_parent
      function nc_inq_grpname(ncid, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(out) :: name(*)
        integer(c_int) :: status
      end function nc_inq_grpname
      function nc_inq_grpname_len(ncid, len) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_size_t), intent(out) :: len
        integer(c_int) :: status
      end function nc_inq_grpname_len
      function nc_def_grp(parent_ncid, name, new_ncid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: parent_ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: new_ncid
        integer(c_int) :: status
      end function nc_def_grp
      function nc_rename_grp(grpid, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: grpid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int) :: status
      end function nc_rename_grp
      function nc_inq_typeid(ncid, name, typeid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: typeid
        integer(c_int) :: status
      end function nc_inq_typeid
      function nc_inq_type(ncid, xtype, name, size) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_size_t), intent(out) :: size
        integer(c_int) :: status
      end function nc_inq_type
      function nc_inq_user_type(ncid, xtype, name, size, base_typeid, nfields, class) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_size_t), intent(out) :: size
        integer(c_int), intent(out) :: base_typeid
        integer(c_size_t), intent(out) :: nfields
        integer(c_int), intent(out) :: class
        integer(c_int) :: status
      end function nc_inq_user_type
      function nc_def_compound(ncid, size, name, typeid) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_size_t), value :: size
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: typeid
        integer(c_int) :: status
      end function nc_def_compound
      function nc_insert_compound(ncid, xtype, name, offset, field_typeid) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: offset
        integer(c_int), value :: field_typeid
        integer(c_int) :: status
      end function nc_insert_compound
      function nc_inq_compound(ncid, xtype, name, size, nfields) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_size_t), intent(out) :: size
        integer(c_size_t), intent(out) :: nfields
        integer(c_int) :: status
      end function nc_inq_compound
      function nc_inq_compound_name(ncid, xtype, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_int) :: status
      end function nc_inq_compound_name
      function nc_inq_compound_size(ncid, xtype, size) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_size_t), intent(out) :: size
        integer(c_int) :: status
      end function nc_inq_compound_size
      function nc_inq_compound_nfields(ncid, xtype, nfields) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_size_t), intent(out) :: nfields
        integer(c_int) :: status
      end function nc_inq_compound_nfields
      function nc_inq_compound_fieldname(ncid, xtype, fieldid, name) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_int), value :: fieldid
        character(kind=c_char), intent(out) :: name(*)
        integer(c_int) :: status
      end function nc_inq_compound_fieldname
      function nc_inq_compound_fieldindex(ncid, xtype, name, fieldid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: fieldid
        integer(c_int) :: status
      end function nc_inq_compound_fieldindex
      function nc_inq_compound_fieldoffset(ncid, xtype, fieldid, offset) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_int), value :: fieldid
        integer(c_size_t), intent(out) :: offset
        integer(c_int) :: status
      end function nc_inq_compound_fieldoffset
      function nc_inq_compound_fieldtype(ncid, xtype, fieldid, field_typeid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_int), value :: fieldid
        integer(c_int), intent(out) :: field_typeid
        integer(c_int) :: status
      end function nc_inq_compound_fieldtype
      function nc_inq_compound_fieldndims(ncid, xtype, fieldid, ndims) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_int), value :: fieldid
        integer(c_int), intent(out) :: ndims
        integer(c_int) :: status
      end function nc_inq_compound_fieldndims
      function nc_def_vlen(ncid, name, base_typeid, xtypeid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), value :: base_typeid
        integer(c_int), intent(out) :: xtypeid
        integer(c_int) :: status
      end function nc_def_vlen
      function nc_inq_vlen(ncid, xtype, name, datum_size, base_nc_type) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_size_t), intent(out) :: datum_size
        integer(c_int), intent(out) :: base_nc_type
        integer(c_int) :: status
      end function nc_inq_vlen
      function nc_def_enum(ncid, base_typeid, name, typeid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: base_typeid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: typeid
        integer(c_int) :: status
      end function nc_def_enum
      function nc_inq_enum(ncid, xtype, name, base_nc_type, base_size, num_members) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_int), intent(out) :: base_nc_type
        integer(c_size_t), intent(out) :: base_size
        integer(c_size_t), intent(out) :: num_members
        integer(c_int) :: status
      end function nc_inq_enum
      function nc_inq_enum_ident(ncid, xtype, value, identifier) bind(c) result(status)
        import :: c_char, c_int, c_long_long
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        integer(c_long_long), value :: value
        character(kind=c_char), intent(out) :: identifier(*)
        integer(c_int) :: status
      end function nc_inq_enum_ident
      function nc_def_opaque(ncid, size, name, xtype) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_size_t), value :: size
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: xtype
        integer(c_int) :: status
      end function nc_def_opaque
      function nc_inq_opaque(ncid, xtype, name, size) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_int), value :: xtype
        character(kind=c_char), intent(out) :: name(*)
        integer(c_size_t), intent(out) :: size
        integer(c_int) :: status
      end function nc_inq_opaque
      function nc_def_var_deflate(ncid, varid, shuffle, deflate, deflate_level) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: shuffle
        integer(c_int), value :: deflate
        integer(c_int), value :: deflate_level
        integer(c_int) :: status
      end function nc_def_var_deflate
      function nc_inq_var_deflate(ncid, varid, shuffle, deflate, deflate_level) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), intent(out) :: shuffle
        integer(c_int), intent(out) :: deflate
        integer(c_int), intent(out) :: deflate_level
        integer(c_int) :: status
      end function nc_inq_var_deflate
      function nc_def_var_szip(ncid, varid, options_mask, pixels_per_block) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: options_mask
        integer(c_int), value :: pixels_per_block
        integer(c_int) :: status
      end function nc_def_var_szip
      function nc_inq_var_szip(ncid, varid, options_mask, pixels_per_block) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), intent(out) :: options_mask
        integer(c_int), intent(out) :: pixels_per_block
        integer(c_int) :: status
      end function nc_inq_var_szip
      function nc_def_var_zstandard(ncid, varid, zstandard_level) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: zstandard_level
        integer(c_int) :: status
      end function nc_def_var_zstandard
      function nc_inq_var_zstandard(ncid, varid, zstandard, zstandard_level) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), intent(out) :: zstandard
        integer(c_int), intent(out) :: zstandard_level
        integer(c_int) :: status
      end function nc_inq_var_zstandard
      function nc_def_var_quantize(ncid, varid, quantize_mode, nsd) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: quantize_mode
        integer(c_int), value :: nsd
        integer(c_int) :: status
      end function nc_def_var_quantize
      function nc_inq_var_quantize(ncid, varid, quantize_mode, nsd) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), intent(out) :: quantize_mode
        integer(c_int), intent(out) :: nsd
        integer(c_int) :: status
      end function nc_inq_var_quantize
      function nc_def_var_fletcher32(ncid, varid, fletcher32) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: fletcher32
        integer(c_int) :: status
      end function nc_def_var_fletcher32
      function nc_inq_var_fletcher32(ncid, varid, fletcher32) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), intent(out) :: fletcher32
        integer(c_int) :: status
      end function nc_inq_var_fletcher32
      function nc_def_var_endian(ncid, varid, endian) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), value :: endian
        integer(c_int) :: status
      end function nc_def_var_endian
      function nc_inq_var_endian(ncid, varid, endian) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), value :: varid
        integer(c_int), intent(out) :: endian
        integer(c_int) :: status
      end function nc_inq_var_endian
      function nc_put_varm_schar(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_ptr, c_signed_char, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_signed_char), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_schar
      function nc_get_varm_schar(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_ptr, c_signed_char, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_signed_char), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_schar
      function nc_put_att_schar(ncid, varid, name, xtype, len, values) bind(c) result(status)
        import :: c_char, c_int, c_signed_char, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        integer(c_signed_char), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_schar
      function nc_get_att_schar(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int, c_signed_char
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_signed_char), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_schar
      function nc_put_varm_short(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_ptr, c_short, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_short), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_short
      function nc_get_varm_short(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_ptr, c_short, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_short), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_short
      function nc_put_att_short(ncid, varid, name, xtype, len, values) bind(c) result(status)
        import :: c_char, c_int, c_short, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        integer(c_short), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_short
      function nc_get_att_short(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int, c_short
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_short), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_short
      function nc_put_varm_int(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_int), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_int
      function nc_get_varm_int(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_int), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_int
      function nc_put_att_int(ncid, varid, name, xtype, len, values) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        integer(c_int), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_int
      function nc_get_att_int(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_int
      function nc_put_varm_longlong(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_long_long, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_long_long), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_longlong
      function nc_get_varm_longlong(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_int, c_long_long, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        integer(c_long_long), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_longlong
      function nc_put_att_longlong(ncid, varid, name, xtype, len, values) bind(c) result(status)
        import :: c_char, c_int, c_long_long, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        integer(c_long_long), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_longlong
      function nc_get_att_longlong(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int, c_long_long
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_long_long), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_longlong
      function nc_put_varm_float(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_float, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        real(c_float), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_float
      function nc_get_varm_float(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_float, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        real(c_float), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_float
      function nc_put_att_float(ncid, varid, name, xtype, len, values) bind(c) result(status)
        import :: c_char, c_float, c_int, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        real(c_float), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_float
      function nc_get_att_float(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_float, c_int
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        real(c_float), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_float
      function nc_put_varm_double(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_double, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        real(c_double), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_double
      function nc_get_varm_double(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_double, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        real(c_double), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_double
      function nc_put_att_double(ncid, varid, name, xtype, len, values) bind(c) result(status)
        import :: c_char, c_double, c_int, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: len
        real(c_double), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_double
      function nc_get_att_double(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_double, c_int
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        real(c_double), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_double
      ! ==== end
      function strlen(text) bind(c) result(length)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: text
        integer(c_size_t) :: length
      end function strlen
      function nc_strerror(code) bind(c) result(text)
        import :: c_int, c_ptr
        integer(c_int), value :: code
        type(c_ptr) :: text
      end function nc_strerror
      function nc_inq_libvers() bind(c) result(text)
        import :: c_ptr
        type(c_ptr) :: text
      end function nc_inq_libvers
      function c_errmsg() bind(c, name="nczarr_errmsg") result(text)
        import :: c_ptr
        type(c_ptr) :: text
      end function c_errmsg
      function c_version() bind(c, name="nczarr_version") result(text)
        import :: c_ptr
        type(c_ptr) :: text
      end function c_version
      function nc_create(path, mode, ncid) bind(c) result(status)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int), value :: mode
        integer(c_int), intent(out) :: ncid
        integer(c_int) :: status
      end function nc_create
      function nc_open(path, mode, ncid) bind(c) result(status)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int), value :: mode
        integer(c_int), intent(out) :: ncid
        integer(c_int) :: status
      end function nc_open
      function nc_create_par_fortran(path, mode, comm, info, ncid) bind(c) result(status)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int), value :: mode, comm, info
        integer(c_int), intent(out) :: ncid
        integer(c_int) :: status
      end function nc_create_par_fortran
      function nc_open_par_fortran(path, mode, comm, info, ncid) bind(c) result(status)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: path(*)
        integer(c_int), value :: mode, comm, info
        integer(c_int), intent(out) :: ncid
        integer(c_int) :: status
      end function nc_open_par_fortran
      function nc__enddef(ncid, h_minfree, v_align, v_minfree, r_align) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid
        integer(c_size_t), value :: h_minfree, v_align, v_minfree, r_align
        integer(c_int) :: status
      end function nc__enddef
      function nc_enddef(ncid) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int) :: status
      end function nc_enddef
      function nc_get_chunk_cache_ints(size, nelems, preemption) bind(c) result(status)
        import :: c_int
        integer(c_int), intent(out) :: size, nelems, preemption
        integer(c_int) :: status
      end function nc_get_chunk_cache_ints
      function nc_set_chunk_cache_ints(size, nelems, preemption) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: size, nelems, preemption
        integer(c_int) :: status
      end function nc_set_chunk_cache_ints
      function nc_get_var_chunk_cache_ints(ncid, varid, size, nelems, preemption) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid, varid
        integer(c_int), intent(out) :: size, nelems, preemption
        integer(c_int) :: status
      end function nc_get_var_chunk_cache_ints
      function nc_set_var_chunk_cache_ints(ncid, varid, size, nelems, preemption) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid, varid, size, nelems, preemption
        integer(c_int) :: status
      end function nc_set_var_chunk_cache_ints
      function nc_inq(ncid, ndims, nvars, natts, unlimited) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: ndims, nvars, natts, unlimited
        integer(c_int) :: status
      end function nc_inq
      function nc_inq_path(ncid, length, path) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid
        integer(c_size_t), intent(out) :: length
        type(c_ptr), value :: path
        integer(c_int) :: status
      end function nc_inq_path
      function nc_inq_grpname_full(ncid, length, name) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid
        integer(c_size_t), intent(out) :: length
        type(c_ptr), value :: name
        integer(c_int) :: status
      end function nc_inq_grpname_full
      function nc_inq_dim(ncid, dimid, name, length) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid, dimid
        character(kind=c_char), intent(out) :: name(*)
        integer(c_size_t), intent(out) :: length
        integer(c_int) :: status
      end function nc_inq_dim
      function nc_inq_att(ncid, varid, name, xtype, length) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: xtype
        integer(c_size_t), intent(out) :: length
        integer(c_int) :: status
      end function nc_inq_att
      function nc_inq_attid(ncid, varid, name, attnum) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(out) :: attnum
        integer(c_int) :: status
      end function nc_inq_attid
      function nc_put_att_text(ncid, varid, name, length, values) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*), values(*)
        integer(c_size_t), value :: length
        integer(c_int) :: status
      end function nc_put_att_text
      function nc_get_att_text(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        character(kind=c_char), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_text
      function nc_put_att_string(ncid, varid, name, length, values) bind(c) result(status)
        import :: c_char, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: length
        type(c_ptr), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_att_string
      function nc_get_att_string(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int, c_ptr
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        type(c_ptr), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_att_string
      function nc_put_att(ncid, varid, name, xtype, length, values) bind(c) result(status)
        import :: c_char, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid, xtype
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: length
        type(c_ptr), value :: values
        integer(c_int) :: status
      end function nc_put_att
      function nc_get_att(ncid, varid, name, values) bind(c) result(status)
        import :: c_char, c_int, c_ptr
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(in) :: name(*)
        type(c_ptr), value :: values
        integer(c_int) :: status
      end function nc_get_att
      function nc_free_string(length, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_size_t), value :: length
        type(c_ptr), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_free_string
      function nc_put_varm_text(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_char, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        character(kind=c_char), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_varm_text
      function nc_get_varm_text(ncid, varid, start, count, stride, map, values) bind(c) result(status)
        import :: c_char, c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride, map
        character(kind=c_char), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_varm_text
      function nc_put_vars_string(ncid, varid, start, count, stride, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride
        type(c_ptr), intent(in) :: values(*)
        integer(c_int) :: status
      end function nc_put_vars_string
      function nc_get_vars_string(ncid, varid, start, count, stride, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride
        type(c_ptr), intent(inout) :: values(*)
        integer(c_int) :: status
      end function nc_get_vars_string
      function nc_put_vars(ncid, varid, start, count, stride, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride
        type(c_ptr), value :: values
        integer(c_int) :: status
      end function nc_put_vars
      function nc_get_vars(ncid, varid, start, count, stride, values) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        type(c_ptr), value :: stride
        type(c_ptr), value :: values
        integer(c_int) :: status
      end function nc_get_vars
      function nc_def_var(ncid, name, xtype, ndims, dimids, varid) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid, xtype, ndims
        character(kind=c_char), intent(in) :: name(*)
        integer(c_int), intent(in) :: dimids(*)
        integer(c_int), intent(out) :: varid
        integer(c_int) :: status
      end function nc_def_var
      function nc_inq_var(ncid, varid, name, xtype, ndims, dimids, natts) bind(c) result(status)
        import :: c_char, c_int
        integer(c_int), value :: ncid, varid
        character(kind=c_char), intent(out) :: name(*)
        integer(c_int), intent(out) :: xtype, ndims, natts
        integer(c_int), intent(inout) :: dimids(*)
        integer(c_int) :: status
      end function nc_inq_var
      function nc_inq_varndims(ncid, varid, ndims) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid, varid
        integer(c_int), intent(out) :: ndims
        integer(c_int) :: status
      end function nc_inq_varndims
      function nc_inq_vartype(ncid, varid, xtype) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid, varid
        integer(c_int), intent(out) :: xtype
        integer(c_int) :: status
      end function nc_inq_vartype
      function nc_def_var_chunking(ncid, varid, storage, lengths) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid, varid, storage
        integer(c_size_t), intent(in) :: lengths(*)
        integer(c_int) :: status
      end function nc_def_var_chunking
      function nc_inq_var_chunking(ncid, varid, storage, lengths) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_int), intent(out) :: storage
        integer(c_size_t), intent(inout) :: lengths(*)
        integer(c_int) :: status
      end function nc_inq_var_chunking
      function nc_def_var_fill(ncid, varid, no_fill, fill) bind(c) result(status)
        import :: c_int, c_ptr
        integer(c_int), value :: ncid, varid, no_fill
        type(c_ptr), value :: fill
        integer(c_int) :: status
      end function nc_def_var_fill
      function nc_inq_var_fill(ncid, varid, no_fill, fill) bind(c) result(status)
        import :: c_int, c_ptr
        integer(c_int), value :: ncid, varid
        integer(c_int), intent(out) :: no_fill
        type(c_ptr), value :: fill
        integer(c_int) :: status
      end function nc_inq_var_fill
      function nc_def_var_filter(ncid, varid, id, nparams, params) bind(c) result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid, varid, id
        integer(c_size_t), value :: nparams
        integer(c_int), intent(in) :: params(*)
        integer(c_int) :: status
      end function nc_def_var_filter
      function nc_inq_var_filter(ncid, varid, id, nparams, params) bind(c) result(status)
        import :: c_int, c_ptr, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_int), intent(out) :: id
        integer(c_size_t), intent(out) :: nparams
        type(c_ptr), value :: params
        integer(c_int) :: status
      end function nc_inq_var_filter
      function nc_inq_grps(ncid, n, ids) bind(c) result(status)
        import :: c_int, c_ptr
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: n
        type(c_ptr), value :: ids
        integer(c_int) :: status
      end function nc_inq_grps
      function nc_inq_varids(ncid, n, ids) bind(c) result(status)
        import :: c_int, c_ptr
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: n
        type(c_ptr), value :: ids
        integer(c_int) :: status
      end function nc_inq_varids
      function nc_inq_typeids(ncid, n, ids) bind(c) result(status)
        import :: c_int, c_ptr
        integer(c_int), value :: ncid
        integer(c_int), intent(out) :: n
        type(c_ptr), value :: ids
        integer(c_int) :: status
      end function nc_inq_typeids
      function nc_inq_dimids(ncid, n, ids, include_parents) bind(c) result(status)
        import :: c_int, c_ptr
        integer(c_int), value :: ncid, include_parents
        integer(c_int), intent(out) :: n
        type(c_ptr), value :: ids
        integer(c_int) :: status
      end function nc_inq_dimids
      function nc_insert_array_compound(ncid, xtype, name, offset, field, ndims, lengths) bind(c) result(status)
        import :: c_char, c_int, c_size_t
        integer(c_int), value :: ncid, xtype, field, ndims
        character(kind=c_char), intent(in) :: name(*)
        integer(c_size_t), value :: offset
        integer(c_int), intent(in) :: lengths(*)
        integer(c_int) :: status
      end function nc_insert_array_compound
      function nc_inq_compound_fielddim_sizes(ncid, xtype, fieldid, lengths) bind(c) result(status)
        import :: c_int
        integer(c_int), value :: ncid, xtype, fieldid
        integer(c_int), intent(inout) :: lengths(*)
        integer(c_int) :: status
      end function nc_inq_compound_fielddim_sizes
      function nc_insert_enum(ncid, xtype, name, value) bind(c) result(status)
        import :: c_char, c_int, c_ptr
        integer(c_int), value :: ncid, xtype
        character(kind=c_char), intent(in) :: name(*)
        type(c_ptr), value :: value
        integer(c_int) :: status
      end function nc_insert_enum
      function nc_inq_enum_member(ncid, xtype, index, name, value) bind(c) result(status)
        import :: c_char, c_int, c_ptr
        integer(c_int), value :: ncid, xtype, index
        character(kind=c_char), intent(out) :: name(*)
        type(c_ptr), value :: value
        integer(c_int) :: status
      end function nc_inq_enum_member
      function c_def_var_shards(ncid, varid, lengths) bind(c, name="nczarr_def_var_shards") result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: lengths(*)
        integer(c_int) :: status
      end function c_def_var_shards
      function c_def_var_decomposition(ncid, varid, start, count) bind(c, name="nczarr_def_var_decomposition") result(status)
        import :: c_int, c_size_t
        integer(c_int), value :: ncid, varid
        integer(c_size_t), intent(in) :: start(*), count(*)
        integer(c_int) :: status
      end function c_def_var_decomposition
  end interface

contains

  ! ---- texts ----

  pure function c_text(text) result(copy)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: copy

    copy = trim(text)//c_null_char
  end function c_text

  pure subroutine take_text(bytes, text)
    character(kind=c_char), intent(in) :: bytes(:)
    character(len=*), intent(out) :: text
    integer :: i

    text = ""
    do i = 1, min(size(bytes), len(text))
      if (bytes(i) == c_null_char) exit
      text(i:i) = bytes(i)
    end do
  end subroutine take_text

  ! A text of C's, as long as it is.
  function text_at(place) result(text)
    type(c_ptr), intent(in) :: place
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)

    text = ""
    if (.not. c_associated(place)) return
    call c_f_pointer(place, bytes, [strlen(place)])
    deallocate (text)
    allocate (character(len=size(bytes)) :: text)
    call take_text(bytes, text)
  end function text_at

  function nf90_inq_libvers() result(text)
    character(len=80) :: text

    text = text_at(nc_inq_libvers())
  end function nf90_inq_libvers

  function nf90_strerror(ncerr) result(text)
    integer, intent(in) :: ncerr
    character(len=80) :: text

    text = text_at(nc_strerror(ncerr))
  end function nf90_strerror

  ! The release of the library.
  function nczarr_version() result(text)
    character(len=:), allocatable :: text

    text = text_at(c_version())
  end function nczarr_version

  ! What went wrong in this thread's last failed call, where and why.
  function nczarr_errmsg() result(text)
    character(len=:), allocatable :: text

    text = text_at(c_errmsg())
  end function nczarr_errmsg

  ! ---- opening and closing ----

  ! The sizes of chunk caches for datasets that are opened from now on, and those of before; -1: they stay.
  function set_cache(before, cache_size, cache_nelems, preemption) result(status)
    integer(c_int), intent(out) :: before(3)
    integer, intent(in), optional :: cache_size, cache_nelems, preemption
    integer :: status
    integer(c_int) :: after(3)

    before = -1
    status = nf90_noerr
    if (.not. (present(cache_size) .or. present(cache_nelems) .or. present(preemption))) return
    status = nc_get_chunk_cache_ints(before(1), before(2), before(3))
    if (status /= nf90_noerr) return
    after = before
    if (present(cache_size)) after(1) = cache_size
    if (present(cache_nelems)) after(2) = cache_nelems
    if (present(preemption)) after(3) = preemption
    status = nc_set_chunk_cache_ints(after(1), after(2), after(3))
  end function set_cache

  ! The caches' sizes of before, after a call that ended with `status`.
  function restore_cache(before, status) result(after)
    integer(c_int), intent(in) :: before(3)
    integer, intent(in) :: status
    integer :: after

    after = status
    if (before(1) < 0) return
    after = nc_set_chunk_cache_ints(before(1), before(2), before(3))
    if (status /= nf90_noerr) after = status
  end function restore_cache

  ! initialsize and chunksize are hints that this library does not need.
  function nf90_create(path, cmode, ncid, initialsize, chunksize, cache_size, cache_nelems, cache_preemption, comm, info) &
    result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode
    integer, intent(out) :: ncid
    integer, optional, intent(in) :: initialsize
    integer, optional, intent(inout) :: chunksize
    integer, optional, intent(in) :: cache_size, cache_nelems, cache_preemption, comm, info
    integer :: status
    integer(c_int) :: before(3)

    ncid = -1
    status = nf90_einval
    if (present(comm) .neqv. present(info)) return
    if (present(initialsize)) then
      if (initialsize < 0) return
    end if
    if (present(chunksize)) chunksize = max(chunksize, 0)
    status = set_cache(before, cache_size, cache_nelems, cache_preemption)
    if (status /= nf90_noerr) return
    if (present(comm)) then
      status = nc_create_par_fortran(c_text(path), cmode, comm, info, ncid)
    else
      status = nc_create(c_text(path), cmode, ncid)
    end if
    status = restore_cache(before, status)
  end function nf90_create

  function nf90_open(path, mode, ncid, chunksize, cache_size, cache_nelems, cache_preemption, comm, info) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: mode
    integer, intent(out) :: ncid
    integer, optional, intent(inout) :: chunksize
    integer, optional, intent(in) :: cache_size, cache_nelems
    real, optional, intent(in) :: cache_preemption
    integer, optional, intent(in) :: comm, info
    integer :: status
    integer(c_int) :: before(3)

    ncid = -1
    status = nf90_einval
    if (present(comm) .neqv. present(info)) return
    if (present(chunksize)) chunksize = max(chunksize, 0)
    if (present(cache_preemption)) then
      status = set_cache(before, cache_size, cache_nelems, int(cache_preemption * 100))
    else
      status = set_cache(before, cache_size, cache_nelems)
    end if
    if (status /= nf90_noerr) return
    if (present(comm)) then
      status = nc_open_par_fortran(c_text(path), mode, comm, info, ncid)
    else
      status = nc_open(c_text(path), mode, ncid)
    end if
    status = restore_cache(before, status)
  end function nf90_open

  function nf90_create_par(path, cmode, comm, info, ncid, cache_size, cache_nelems, cache_preemption) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode, comm, info
    integer, intent(out) :: ncid
    integer, optional, intent(in) :: cache_size, cache_nelems
    real, optional, intent(in) :: cache_preemption
    integer :: status

    if (present(cache_preemption)) then
      status = nf90_create(path, cmode, ncid, cache_size=cache_size, cache_nelems=cache_nelems, &
        cache_preemption=int(cache_preemption * 100), comm=comm, info=info)
    else
      status = nf90_create(path, cmode, ncid, cache_size=cache_size, cache_nelems=cache_nelems, comm=comm, info=info)
    end if
  end function nf90_create_par

  function nf90_open_par(path, cmode, comm, info, ncid, cache_size, cache_nelems, cache_preemption) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode, comm, info
    integer, intent(out) :: ncid
    integer, optional, intent(in) :: cache_size, cache_nelems
    real, optional, intent(in) :: cache_preemption
    integer :: status

    status = nf90_open(path, cmode, ncid, cache_size=cache_size, cache_nelems=cache_nelems, &
      cache_preemption=cache_preemption, comm=comm, info=info)
  end function nf90_open_par

  ! basepe and the sizes have no effect, as in netCDF.
  function nf90_create_mp(path, cmode, initalsz, basepe, chunksizehint, ncid) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode, initalsz, basepe, chunksizehint
    integer, intent(out) :: ncid
    integer :: status

    ncid = -1
    status = nf90_einval
    if (min(initalsz, basepe, chunksizehint) >= 0) status = nf90_create(path, cmode, ncid)
  end function nf90_create_mp

  function nf90_open_mp(path, mode, basepe, chunksizeint, ncid) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: mode, basepe, chunksizeint
    integer, intent(out) :: ncid
    integer :: status

    ncid = -1
    status = nf90_einval
    if (min(basepe, chunksizeint) >= 0) status = nf90_open(path, mode, ncid)
  end function nf90_open_mp

  function nf90_enddef(ncid, h_minfree, v_align, v_minfree, r_align) result(status)
    integer, intent(in) :: ncid
    integer, optional, intent(in) :: h_minfree, v_align, v_minfree, r_align
    integer :: status
    integer(c_size_t) :: sizes(4)

    if (.not. (present(h_minfree) .or. present(v_align) .or. present(v_minfree) .or. present(r_align))) then
      status = nc_enddef(ncid)
      return
    end if
    sizes = [0, 4, 0, 4]
    if (present(h_minfree)) sizes(1) = h_minfree
    if (present(v_align)) sizes(2) = v_align
    if (present(v_minfree)) sizes(3) = v_minfree
    if (present(r_align)) sizes(4) = r_align
    status = nc__enddef(ncid, sizes(1), sizes(2), sizes(3), sizes(4))
  end function nf90_enddef

  ! ==== generated: functions that pass their arguments on
  function nf90_redef(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_redef(ncid)
  end function nf90_redef

  function nf90_sync(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_sync(ncid)
  end function nf90_sync

  function nf90_abort(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_abort(ncid)
  end function nf90_abort

  function nf90_close(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_close(ncid)
  end function nf90_close

  function nf90_delete(path) result(status)
    character(len=*), intent(in) :: path
    integer :: status

    status = nc_delete(c_text(path))
  end function nf90_delete

  function nf90_set_fill(ncid, fillmode, old_mode) result(status)
    integer, intent(in) :: ncid, fillmode
    integer, intent(out) :: old_mode
    integer :: status
    integer(c_int) :: c_old_mode

    status = nc_set_fill(ncid, fillmode, c_old_mode)
    if (status == nf90_noerr) old_mode = c_old_mode
  end function nf90_set_fill

  function nf90_set_base_pe(ncid, pe) result(status)
    integer, intent(in) :: ncid, pe
    integer :: status

    status = nc_set_base_pe(ncid, pe)
  end function nf90_set_base_pe

  function nf90_inq_base_pe(ncid, pe) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: pe
    integer :: status
    integer(c_int) :: c_pe

    status = nc_inq_base_pe(ncid, c_pe)
    if (status == nf90_noerr) pe = c_pe
  end function nf90_inq_base_pe

  function nf90_inq_format(ncid, format_type) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: format_type
    integer :: status
    integer(c_int) :: c_format_type

    status = nc_inq_format(ncid, c_format_type)
    if (status == nf90_noerr) format_type = c_format_type
  end function nf90_inq_format

  function nf90_def_dim(ncid, name, len, dimid) result(status)
    integer, intent(in) :: ncid, len
    character(len=*), intent(in) :: name
    integer, intent(out) :: dimid
    integer :: status
    integer(c_int) :: c_dimid

    status = nc_def_dim(ncid, c_text(name), int(len, c_size_t), c_dimid)
    if (status == nf90_noerr) dimid = c_dimid + 1
  end function nf90_def_dim

  function nf90_inq_dimid(ncid, name, dimid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: dimid
    integer :: status
    integer(c_int) :: c_dimid

    status = nc_inq_dimid(ncid, c_text(name), c_dimid)
    if (status == nf90_noerr) dimid = c_dimid + 1
  end function nf90_inq_dimid

  function nf90_rename_dim(ncid, dimid, name) result(status)
    integer, intent(in) :: ncid, dimid
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_rename_dim(ncid, dimid - 1, c_text(name))
  end function nf90_rename_dim

  function nf90_copy_att(ncid_in, varid_in, name, ncid_out, varid_out) result(status)
    integer, intent(in) :: ncid_in, varid_in, ncid_out, varid_out
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_copy_att(ncid_in, varid_in - 1, c_text(name), ncid_out, varid_out - 1)
  end function nf90_copy_att

  function nf90_rename_att(ncid, varid, curname, newname) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: curname, newname
    integer :: status

    status = nc_rename_att(ncid, varid - 1, c_text(curname), c_text(newname))
  end function nf90_rename_att

  function nf90_del_att(ncid, varid, name) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_del_att(ncid, varid - 1, c_text(name))
  end function nf90_del_att

  function nf90_inq_attname(ncid, varid, attnum, name) result(status)
    integer, intent(in) :: ncid, varid, attnum
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)

    status = nc_inq_attname(ncid, varid - 1, attnum - 1, c_name)
    if (status == nf90_noerr) call take_text(c_name, name)
  end function nf90_inq_attname

  function nf90_inq_varid(ncid, name, varid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: varid
    integer :: status
    integer(c_int) :: c_varid

    status = nc_inq_varid(ncid, c_text(name), c_varid)
    if (status == nf90_noerr) varid = c_varid + 1
  end function nf90_inq_varid

  function nf90_rename_var(ncid, varid, newname) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: newname
    integer :: status

    status = nc_rename_var(ncid, varid - 1, c_text(newname))
  end function nf90_rename_var

  function nf90_var_par_access(ncid, varid, access) result(status)
    integer, intent(in) :: ncid, varid, access
    integer :: status

    status = nc_var_par_access(ncid, varid - 1, access)
  end function nf90_var_par_access

  function nf90_inq_ncid(ncid, name, grp_ncid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: grp_ncid
    integer :: status
    integer(c_int) :: c_grp_ncid

    status = nc_inq_ncid(ncid, c_text(name), c_grp_ncid)
    if (status == nf90_noerr) grp_ncid = c_grp_ncid
  end function nf90_inq_ncid

  function nf90_inq_grp_ncid(ncid, name, grpid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: grpid
    integer :: status
    integer(c_int) :: c_grpid

    status = nc_inq_grp_ncid(ncid, c_text(name), c_grpid)
    if (status == nf90_noerr) grpid = c_grpid
  end function nf90_inq_grp_ncid

  function nf90_inq_grp_full_ncid(ncid, full_name, grpid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: full_name
    integer, intent(out) :: grpid
    integer :: status
    integer(c_int) :: c_grpid

    status = nc_inq_grp_full_ncid(ncid, c_text(full_name), c_grpid)
    if (status == nf90_noerr) grpid = c_grpid
  end function nf90_inq_grp_full_ncid

  function nf90_inq_grp_parent(ncid, parent_ncid) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: parent_ncid
    integer :: status
    integer(c_int) :: c_parent_ncid

    status = nc_inq_grp_parent(ncid, c_parent_ncid)
    if (status == nf90_noerr) parent_ncid = c_parent_ncid
  end function nf90_inq_grp_parent

  function nf90_inq_grpname(ncid, name) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)

    status = nc_inq_grpname(ncid, c_name)
    if (status == nf90_noerr) call take_text(c_name, name)
  end function nf90_inq_grpname

  function nf90_inq_grpname_len(ncid, len) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: len
    integer :: status
    integer(c_size_t) :: c_len

    status = nc_inq_grpname_len(ncid, c_len)
    if (status == nf90_noerr) len = int(c_len)
  end function nf90_inq_grpname_len

  function nf90_def_grp(parent_ncid, name, new_ncid) result(status)
    integer, intent(in) :: parent_ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: new_ncid
    integer :: status
    integer(c_int) :: c_new_ncid

    status = nc_def_grp(parent_ncid, c_text(name), c_new_ncid)
    if (status == nf90_noerr) new_ncid = c_new_ncid
  end function nf90_def_grp

  function nf90_rename_grp(grpid, name) result(status)
    integer, intent(in) :: grpid
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_rename_grp(grpid, c_text(name))
  end function nf90_rename_grp

  function nf90_inq_typeid(ncid, name, typeid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: typeid
    integer :: status
    integer(c_int) :: c_typeid

    status = nc_inq_typeid(ncid, c_text(name), c_typeid)
    if (status == nf90_noerr) typeid = c_typeid
  end function nf90_inq_typeid

  function nf90_inq_type(ncid, xtype, name, size) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer, intent(out) :: size
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)
    integer(c_size_t) :: c_size

    status = nc_inq_type(ncid, xtype, c_name, c_size)
    if (status == nf90_noerr) call take_text(c_name, name)
    if (status == nf90_noerr) size = int(c_size)
  end function nf90_inq_type

  function nf90_inq_user_type(ncid, xtype, name, size, base_typeid, nfields, class) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer, intent(out) :: size, base_typeid, nfields, class
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)
    integer(c_size_t) :: c_size
    integer(c_int) :: c_base_typeid
    integer(c_size_t) :: c_nfields
    integer(c_int) :: c_class

    status = nc_inq_user_type(ncid, xtype, c_name, c_size, c_base_typeid, c_nfields, c_class)
    if (status == nf90_noerr) call take_text(c_name, name)
    if (status == nf90_noerr) size = int(c_size)
    if (status == nf90_noerr) base_typeid = c_base_typeid
    if (status == nf90_noerr) nfields = int(c_nfields)
    if (status == nf90_noerr) class = c_class
  end function nf90_inq_user_type

  function nf90_def_compound(ncid, size, name, typeid) result(status)
    integer, intent(in) :: ncid, size
    character(len=*), intent(in) :: name
    integer, intent(out) :: typeid
    integer :: status
    integer(c_int) :: c_typeid

    status = nc_def_compound(ncid, int(size, c_size_t), c_text(name), c_typeid)
    if (status == nf90_noerr) typeid = c_typeid
  end function nf90_def_compound

  function nf90_insert_compound(ncid, xtype, name, offset, field_typeid) result(status)
    integer, intent(in) :: ncid, xtype, offset, field_typeid
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_insert_compound(ncid, xtype, c_text(name), int(offset, c_size_t), field_typeid)
  end function nf90_insert_compound

  function nf90_inq_compound(ncid, xtype, name, size, nfields) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer, intent(out) :: size, nfields
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)
    integer(c_size_t) :: c_size
    integer(c_size_t) :: c_nfields

    status = nc_inq_compound(ncid, xtype, c_name, c_size, c_nfields)
    if (status == nf90_noerr) call take_text(c_name, name)
    if (status == nf90_noerr) size = int(c_size)
    if (status == nf90_noerr) nfields = int(c_nfields)
  end function nf90_inq_compound

  function nf90_inq_compound_name(ncid, xtype, name) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)

    status = nc_inq_compound_name(ncid, xtype, c_name)
    if (status == nf90_noerr) call take_text(c_name, name)
  end function nf90_inq_compound_name

  function nf90_inq_compound_size(ncid, xtype, size) result(status)
    integer, intent(in) :: ncid, xtype
    integer, intent(out) :: size
    integer :: status
    integer(c_size_t) :: c_size

    status = nc_inq_compound_size(ncid, xtype, c_size)
    if (status == nf90_noerr) size = int(c_size)
  end function nf90_inq_compound_size

  function nf90_inq_compound_nfields(ncid, xtype, nfields) result(status)
    integer, intent(in) :: ncid, xtype
    integer, intent(out) :: nfields
    integer :: status
    integer(c_size_t) :: c_nfields

    status = nc_inq_compound_nfields(ncid, xtype, c_nfields)
    if (status == nf90_noerr) nfields = int(c_nfields)
  end function nf90_inq_compound_nfields

  function nf90_inq_compound_fieldname(ncid, xtype, fieldid, name) result(status)
    integer, intent(in) :: ncid, xtype, fieldid
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)

    status = nc_inq_compound_fieldname(ncid, xtype, fieldid - 1, c_name)
    if (status == nf90_noerr) call take_text(c_name, name)
  end function nf90_inq_compound_fieldname

  function nf90_inq_compound_fieldindex(ncid, xtype, name, fieldid) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(in) :: name
    integer, intent(out) :: fieldid
    integer :: status
    integer(c_int) :: c_fieldid

    status = nc_inq_compound_fieldindex(ncid, xtype, c_text(name), c_fieldid)
    if (status == nf90_noerr) fieldid = c_fieldid + 1
  end function nf90_inq_compound_fieldindex

  function nf90_inq_compound_fieldoffset(ncid, xtype, fieldid, offset) result(status)
    integer, intent(in) :: ncid, xtype, fieldid
    integer, intent(out) :: offset
    integer :: status
    integer(c_size_t) :: c_offset

    status = nc_inq_compound_fieldoffset(ncid, xtype, fieldid - 1, c_offset)
    if (status == nf90_noerr) offset = int(c_offset)
  end function nf90_inq_compound_fieldoffset

  function nf90_inq_compound_fieldtype(ncid, xtype, fieldid, field_typeid) result(status)
    integer, intent(in) :: ncid, xtype, fieldid
    integer, intent(out) :: field_typeid
    integer :: status
    integer(c_int) :: c_field_typeid

    status = nc_inq_compound_fieldtype(ncid, xtype, fieldid - 1, c_field_typeid)
    if (status == nf90_noerr) field_typeid = c_field_typeid
  end function nf90_inq_compound_fieldtype

  function nf90_inq_compound_fieldndims(ncid, xtype, fieldid, ndims) result(status)
    integer, intent(in) :: ncid, xtype, fieldid
    integer, intent(out) :: ndims
    integer :: status
    integer(c_int) :: c_ndims

    status = nc_inq_compound_fieldndims(ncid, xtype, fieldid - 1, c_ndims)
    if (status == nf90_noerr) ndims = c_ndims
  end function nf90_inq_compound_fieldndims

  function nf90_def_vlen(ncid, name, base_typeid, xtypeid) result(status)
    integer, intent(in) :: ncid, base_typeid
    character(len=*), intent(in) :: name
    integer, intent(out) :: xtypeid
    integer :: status
    integer(c_int) :: c_xtypeid

    status = nc_def_vlen(ncid, c_text(name), base_typeid, c_xtypeid)
    if (status == nf90_noerr) xtypeid = c_xtypeid
  end function nf90_def_vlen

  function nf90_inq_vlen(ncid, xtype, name, datum_size, base_nc_type) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer, intent(out) :: datum_size, base_nc_type
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)
    integer(c_size_t) :: c_datum_size
    integer(c_int) :: c_base_nc_type

    status = nc_inq_vlen(ncid, xtype, c_name, c_datum_size, c_base_nc_type)
    if (status == nf90_noerr) call take_text(c_name, name)
    if (status == nf90_noerr) datum_size = int(c_datum_size)
    if (status == nf90_noerr) base_nc_type = c_base_nc_type
  end function nf90_inq_vlen

  function nf90_def_enum(ncid, base_typeid, name, typeid) result(status)
    integer, intent(in) :: ncid, base_typeid
    character(len=*), intent(in) :: name
    integer, intent(out) :: typeid
    integer :: status
    integer(c_int) :: c_typeid

    status = nc_def_enum(ncid, base_typeid, c_text(name), c_typeid)
    if (status == nf90_noerr) typeid = c_typeid
  end function nf90_def_enum

  function nf90_inq_enum(ncid, xtype, name, base_nc_type, base_size, num_members) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer, intent(out) :: base_nc_type, base_size, num_members
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)
    integer(c_int) :: c_base_nc_type
    integer(c_size_t) :: c_base_size
    integer(c_size_t) :: c_num_members

    status = nc_inq_enum(ncid, xtype, c_name, c_base_nc_type, c_base_size, c_num_members)
    if (status == nf90_noerr) call take_text(c_name, name)
    if (status == nf90_noerr) base_nc_type = c_base_nc_type
    if (status == nf90_noerr) base_size = int(c_base_size)
    if (status == nf90_noerr) num_members = int(c_num_members)
  end function nf90_inq_enum

  function nf90_inq_enum_ident(ncid, xtype, value, identifier) result(status)
    integer, intent(in) :: ncid, xtype, value
    character(len=*), intent(out) :: identifier
    integer :: status
    character(kind=c_char) :: c_identifier(nf90_max_name + 1)

    status = nc_inq_enum_ident(ncid, xtype, int(value, c_long_long), c_identifier)
    if (status == nf90_noerr) call take_text(c_identifier, identifier)
  end function nf90_inq_enum_ident

  function nf90_def_opaque(ncid, size, name, xtype) result(status)
    integer, intent(in) :: ncid, size
    character(len=*), intent(in) :: name
    integer, intent(out) :: xtype
    integer :: status
    integer(c_int) :: c_xtype

    status = nc_def_opaque(ncid, int(size, c_size_t), c_text(name), c_xtype)
    if (status == nf90_noerr) xtype = c_xtype
  end function nf90_def_opaque

  function nf90_inq_opaque(ncid, xtype, name, size) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(out) :: name
    integer, intent(out) :: size
    integer :: status
    character(kind=c_char) :: c_name(nf90_max_name + 1)
    integer(c_size_t) :: c_size

    status = nc_inq_opaque(ncid, xtype, c_name, c_size)
    if (status == nf90_noerr) call take_text(c_name, name)
    if (status == nf90_noerr) size = int(c_size)
  end function nf90_inq_opaque

  function nf90_def_var_deflate(ncid, varid, shuffle, deflate, deflate_level) result(status)
    integer, intent(in) :: ncid, varid, shuffle, deflate, deflate_level
    integer :: status

    status = nc_def_var_deflate(ncid, varid - 1, shuffle, deflate, deflate_level)
  end function nf90_def_var_deflate

  function nf90_inq_var_deflate(ncid, varid, shuffle, deflate, deflate_level) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: shuffle, deflate, deflate_level
    integer :: status
    integer(c_int) :: c_shuffle
    integer(c_int) :: c_deflate
    integer(c_int) :: c_deflate_level

    status = nc_inq_var_deflate(ncid, varid - 1, c_shuffle, c_deflate, c_deflate_level)
    if (status == nf90_noerr) shuffle = c_shuffle
    if (status == nf90_noerr) deflate = c_deflate
    if (status == nf90_noerr) deflate_level = c_deflate_level
  end function nf90_inq_var_deflate

  function nf90_def_var_szip(ncid, varid, options_mask, pixels_per_block) result(status)
    integer, intent(in) :: ncid, varid, options_mask, pixels_per_block
    integer :: status

    status = nc_def_var_szip(ncid, varid - 1, options_mask, pixels_per_block)
  end function nf90_def_var_szip

  function nf90_inq_var_szip(ncid, varid, options_mask, pixels_per_block) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: options_mask, pixels_per_block
    integer :: status
    integer(c_int) :: c_options_mask
    integer(c_int) :: c_pixels_per_block

    status = nc_inq_var_szip(ncid, varid - 1, c_options_mask, c_pixels_per_block)
    if (status == nf90_noerr) options_mask = c_options_mask
    if (status == nf90_noerr) pixels_per_block = c_pixels_per_block
  end function nf90_inq_var_szip

  function nf90_def_var_zstandard(ncid, varid, zstandard_level) result(status)
    integer, intent(in) :: ncid, varid, zstandard_level
    integer :: status

    status = nc_def_var_zstandard(ncid, varid - 1, zstandard_level)
  end function nf90_def_var_zstandard

  function nf90_inq_var_zstandard(ncid, varid, zstandard, zstandard_level) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: zstandard, zstandard_level
    integer :: status
    integer(c_int) :: c_zstandard
    integer(c_int) :: c_zstandard_level

    status = nc_inq_var_zstandard(ncid, varid - 1, c_zstandard, c_zstandard_level)
    if (status == nf90_noerr) zstandard = c_zstandard
    if (status == nf90_noerr) zstandard_level = c_zstandard_level
  end function nf90_inq_var_zstandard

  function nf90_def_var_quantize(ncid, varid, quantize_mode, nsd) result(status)
    integer, intent(in) :: ncid, varid, quantize_mode, nsd
    integer :: status

    status = nc_def_var_quantize(ncid, varid - 1, quantize_mode, nsd)
  end function nf90_def_var_quantize

  function nf90_inq_var_quantize(ncid, varid, quantize_mode, nsd) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: quantize_mode, nsd
    integer :: status
    integer(c_int) :: c_quantize_mode
    integer(c_int) :: c_nsd

    status = nc_inq_var_quantize(ncid, varid - 1, c_quantize_mode, c_nsd)
    if (status == nf90_noerr) quantize_mode = c_quantize_mode
    if (status == nf90_noerr) nsd = c_nsd
  end function nf90_inq_var_quantize

  function nf90_def_var_fletcher32(ncid, varid, fletcher32) result(status)
    integer, intent(in) :: ncid, varid, fletcher32
    integer :: status

    status = nc_def_var_fletcher32(ncid, varid - 1, fletcher32)
  end function nf90_def_var_fletcher32

  function nf90_inq_var_fletcher32(ncid, varid, fletcher32) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: fletcher32
    integer :: status
    integer(c_int) :: c_fletcher32

    status = nc_inq_var_fletcher32(ncid, varid - 1, c_fletcher32)
    if (status == nf90_noerr) fletcher32 = c_fletcher32
  end function nf90_inq_var_fletcher32

  function nf90_def_var_endian(ncid, varid, endian) result(status)
    integer, intent(in) :: ncid, varid, endian
    integer :: status

    status = nc_def_var_endian(ncid, varid - 1, endian)
  end function nf90_def_var_endian

  function nf90_inq_var_endian(ncid, varid, endian) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: endian
    integer :: status
    integer(c_int) :: c_endian

    status = nc_inq_var_endian(ncid, varid - 1, c_endian)
    if (status == nf90_noerr) endian = c_endian
  end function nf90_inq_var_endian
  ! ==== end

  ! ---- inquiry of datasets, dimensions and groups ----

  function nf90_inquire(ncid, nDimensions, nVariables, nAttributes, unlimitedDimId, formatNum) result(status)
    integer, intent(in) :: ncid
    integer, optional, intent(out) :: nDimensions, nVariables, nAttributes, unlimitedDimId, formatNum
    integer :: status
    integer(c_int) :: n(3), unlimited

    status = nc_inq(ncid, n(1), n(2), n(3), unlimited)
    if (status /= nf90_noerr) return
    if (present(nDimensions)) nDimensions = n(1)
    if (present(nVariables)) nVariables = n(2)
    if (present(nAttributes)) nAttributes = n(3)
    if (present(unlimitedDimId)) unlimitedDimId = merge(unlimited, unlimited + 1, unlimited < 0)
    if (present(formatNum)) status = nf90_inq_format(ncid, formatNum)
  end function nf90_inquire

  function nf90_inq_path(ncid, pathlen, path) result(status)
    integer, intent(in) :: ncid
    integer, intent(inout) :: pathlen
    character(len=*), intent(inout) :: path
    integer :: status
    integer(c_size_t) :: length
    character(kind=c_char), allocatable, target :: bytes(:)

    status = nc_inq_path(ncid, length, c_null_ptr)
    if (status /= nf90_noerr) return
    allocate (bytes(length + 1))
    status = nc_inq_path(ncid, length, c_loc(bytes))
    pathlen = int(length)
    call take_text(bytes(:length), path)
  end function nf90_inq_path

  function nf90_inq_grpname_full(ncid, len, name) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: len
    character(len=*), intent(out) :: name
    integer :: status
    integer(c_size_t) :: length
    character(kind=c_char), allocatable, target :: bytes(:)

    len = 0
    name = ""
    status = nc_inq_grpname_full(ncid, length, c_null_ptr)
    if (status /= nf90_noerr) return
    allocate (bytes(length + 1))
    status = nc_inq_grpname_full(ncid, length, c_loc(bytes))
    len = int(length)
    call take_text(bytes(:length), name)
  end function nf90_inq_grpname_full

  function nf90_inquire_dimension(ncid, dimid, name, len) result(status)
    integer, intent(in) :: ncid, dimid
    character(len=*), optional, intent(out) :: name
    integer, optional, intent(out) :: len
    integer :: status
    character(kind=c_char) :: bytes(nf90_max_name + 1)
    integer(c_size_t) :: length

    status = nc_inq_dim(ncid, dimid - 1, bytes, length)
    if (status /= nf90_noerr) return
    if (present(name)) call take_text(bytes, name)
    if (present(len)) len = int(length)
  end function nf90_inquire_dimension

  function nf90_inquire_attribute(ncid, varid, name, xtype, len, attnum) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer, optional, intent(out) :: xtype, len, attnum
    integer :: status
    integer(c_int) :: c_xtype, c_attnum
    integer(c_size_t) :: length

    status = nc_inq_att(ncid, varid - 1, c_text(name), c_xtype, length)
    if (status /= nf90_noerr) return
    if (present(xtype)) xtype = c_xtype
    if (present(len)) len = int(length)
    if (.not. present(attnum)) return
    status = nc_inq_attid(ncid, varid - 1, c_text(name), c_attnum)
    if (status == nf90_noerr) attnum = c_attnum + 1
  end function nf90_inquire_attribute

  ! Puts n ids into an array of the caller's, counted from `first`. nf90_einval: it is too small.
  function give_ids(ids, n, first, given) result(status)
    integer(c_int), intent(in) :: ids(:), n
    integer, intent(in) :: first
    integer, intent(inout) :: given(:)
    integer :: status

    status = nf90_einval
    if (size(given) < n) return
    given(:n) = ids(:n) + first
    status = nf90_noerr
  end function give_ids

  function nf90_inq_grps(ncid, numgrps, ncids) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: numgrps
    integer, intent(inout) :: ncids(:)
    integer :: status
    integer(c_int) :: n
    integer(c_int), allocatable, target :: ids(:)

    numgrps = 0
    status = nc_inq_grps(ncid, n, c_null_ptr)
    if (status /= nf90_noerr) return
    allocate (ids(n))
    if (n > 0) status = nc_inq_grps(ncid, n, c_loc(ids))
    numgrps = n
    if (status == nf90_noerr) status = give_ids(ids, n, 0, ncids)
  end function nf90_inq_grps

  function nf90_inq_varids(ncid, nvars, varids) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: nvars
    integer, intent(inout) :: varids(:)
    integer :: status
    integer(c_int) :: n
    integer(c_int), allocatable, target :: ids(:)

    nvars = 0
    status = nc_inq_varids(ncid, n, c_null_ptr)
    if (status /= nf90_noerr) return
    allocate (ids(n))
    if (n > 0) status = nc_inq_varids(ncid, n, c_loc(ids))
    nvars = n
    if (status == nf90_noerr) status = give_ids(ids, n, 1, varids)
  end function nf90_inq_varids

  function nf90_inq_dimids(ncid, ndims, dimids, include_parents) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: ndims
    integer, intent(inout) :: dimids(:)
    integer, intent(in) :: include_parents
    integer :: status
    integer(c_int) :: n
    integer(c_int), allocatable, target :: ids(:)

    ndims = 0
    status = nc_inq_dimids(ncid, n, c_null_ptr, include_parents)
    if (status /= nf90_noerr) return
    allocate (ids(n))
    if (n > 0) status = nc_inq_dimids(ncid, n, c_loc(ids), include_parents)
    ndims = n
    if (status == nf90_noerr) status = give_ids(ids, n, 1, dimids)
  end function nf90_inq_dimids

  function nf90_inq_typeids(ncid, ntypes, typeids) result(status)
    integer, intent(in) :: ncid
    integer, optional, intent(out) :: ntypes
    integer, optional, intent(inout) :: typeids(:)
    integer :: status
    integer(c_int) :: n
    integer(c_int), allocatable, target :: ids(:)

    status = nc_inq_typeids(ncid, n, c_null_ptr)
    if (status /= nf90_noerr) return
    allocate (ids(n))
    if (n > 0) status = nc_inq_typeids(ncid, n, c_loc(ids))
    if (present(ntypes)) ntypes = n
    if (status == nf90_noerr .and. present(typeids)) status = give_ids(ids, n, 0, typeids)
  end function nf90_inq_typeids

  ! ---- variables ----

  function def_var_scalar(ncid, name, xtype, varid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: xtype
    integer, intent(out) :: varid
    integer :: status
    integer(c_int) :: id

    varid = 0
    status = nc_def_var(ncid, c_text(name), xtype, 0, no_lengths, id)
    if (status == nf90_noerr) varid = id + 1
  end function def_var_scalar

  function def_var_one(ncid, name, xtype, dimids, varid, contiguous, chunksizes, deflate_level, shuffle, fletcher32, &
    endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, zstandard_level) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: xtype, dimids
    integer, intent(out) :: varid
    logical, optional, intent(in) :: contiguous
    integer, optional, intent(in) :: chunksizes, deflate_level
    logical, optional, intent(in) :: shuffle, fletcher32
    integer, optional, intent(in) :: endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, &
      zstandard_level
    integer :: status
    integer, allocatable :: lengths(:) ! stays absent without chunksizes

    if (present(chunksizes)) lengths = [chunksizes]
    status = def_var_many(ncid, name, xtype, [dimids], varid, contiguous, lengths, deflate_level, shuffle, fletcher32, &
      endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, zstandard_level)
  end function def_var_one

  function def_var_many(ncid, name, xtype, dimids, varid, contiguous, chunksizes, deflate_level, shuffle, fletcher32, &
    endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, zstandard_level) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: xtype, dimids(:)
    integer, intent(out) :: varid
    logical, optional, intent(in) :: contiguous
    integer, optional, intent(in) :: chunksizes(:), deflate_level
    logical, optional, intent(in) :: shuffle, fletcher32
    integer, optional, intent(in) :: endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, &
      zstandard_level
    integer :: status
    integer(c_int) :: id

    varid = 0
    status = nf90_einval
    if (present(contiguous)) then
      if (contiguous .eqv. present(chunksizes)) return
    end if
    if (present(chunksizes)) then
      if (size(chunksizes) /= size(dimids)) return
    end if
    if (present(quantize_mode) .and. .not. present(nsd)) return
    status = nc_def_var(ncid, c_text(name), xtype, size(dimids), dimids(size(dimids):1:-1) - 1, id)
    if (status /= nf90_noerr) return
    varid = id + 1
    if (present(chunksizes)) then
      status = nf90_def_var_chunking(ncid, varid, nf90_chunked, chunksizes)
    else if (present(contiguous)) then
      status = nf90_def_var_chunking(ncid, varid, nf90_contiguous, no_lengths)
    end if
    if (status == nf90_noerr) status = def_filters(ncid, varid, deflate_level, shuffle, fletcher32, zstandard_level)
    if (status == nf90_noerr .and. present(endianness)) status = nf90_def_var_endian(ncid, varid, endianness)
    if (status == nf90_noerr .and. (present(cache_size) .or. present(cache_nelems) .or. present(cache_preemption))) &
      status = nf90_set_var_chunk_cache(ncid, varid, given(cache_size), given(cache_nelems), given(cache_preemption))
    if (status == nf90_noerr .and. present(quantize_mode)) &
      status = nf90_def_var_quantize(ncid, varid, quantize_mode, nsd)
  end function def_var_many

  ! -1 says that a cache's size stays.
  pure function given(value) result(number)
    integer, optional, intent(in) :: value
    integer :: number

    number = -1
    if (present(value)) number = value
  end function given

  function def_filters(ncid, varid, deflate_level, shuffle, fletcher32, zstandard_level) result(status)
    integer, intent(in) :: ncid, varid
    integer, optional, intent(in) :: deflate_level, zstandard_level
    logical, optional, intent(in) :: shuffle, fletcher32
    integer :: status, level
    logical :: shuffled

    status = nf90_noerr
    shuffled = .false.
    if (present(shuffle)) shuffled = shuffle
    level = 0
    if (present(deflate_level)) level = deflate_level
    if (present(zstandard_level)) then
      status = nf90_def_var_zstandard(ncid, varid, zstandard_level)
      if (status == nf90_noerr .and. shuffled) status = nf90_def_var_deflate(ncid, varid, 1, 0, 0)
    end if
    if (status == nf90_noerr .and. level > 0) status = nf90_def_var_deflate(ncid, varid, merge(1, 0, shuffled), 1, level)
    if (status /= nf90_noerr .or. .not. present(fletcher32)) return
    if (fletcher32) status = nf90_def_var_fletcher32(ncid, varid, 1)
  end function def_filters

  ! The size is in megabytes, preemption in hundredths; what is negative stays.
  function nf90_set_var_chunk_cache(ncid, varid, size, nelems, preemption) result(status)
    integer, intent(in) :: ncid, varid, size, nelems, preemption
    integer :: status

    status = nc_set_var_chunk_cache_ints(ncid, varid - 1, size, nelems, preemption)
  end function nf90_set_var_chunk_cache

  function nf90_inquire_variable(ncid, varid, name, xtype, ndims, dimids, nAtts, contiguous, chunksizes, deflate_level, &
    shuffle, fletcher32, endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, zstandard, &
    zstandard_level) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), optional, intent(out) :: name
    integer, optional, intent(out) :: xtype, ndims
    integer, optional, intent(inout) :: dimids(:)
    integer, optional, intent(out) :: nAtts
    logical, optional, intent(out) :: contiguous
    integer, optional, intent(inout) :: chunksizes(:)
    integer, optional, intent(out) :: deflate_level
    logical, optional, intent(out) :: shuffle, fletcher32
    integer, optional, intent(out) :: endianness, cache_size, cache_nelems, cache_preemption, quantize_mode, nsd, &
      zstandard, zstandard_level
    integer :: status
    character(kind=c_char) :: bytes(nf90_max_name + 1)
    integer(c_int) :: c_xtype, n, natts_, c(3)
    integer(c_int), allocatable :: ids(:)

    status = nc_inq_varndims(ncid, varid - 1, n)
    if (status /= nf90_noerr) return
    allocate (ids(n))
    status = nc_inq_var(ncid, varid - 1, bytes, c_xtype, n, ids, natts_)
    if (status /= nf90_noerr) return
    if (present(name)) call take_text(bytes, name)
    if (present(xtype)) xtype = c_xtype
    if (present(ndims)) ndims = n
    if (present(nAtts)) nAtts = natts_
    if (present(dimids)) status = give_ids(ids(n:1:-1), n, 1, dimids)
    if (status == nf90_noerr) status = inquire_storage(ncid, varid, n, contiguous, chunksizes)
    if (status == nf90_noerr) status = inquire_filters(ncid, varid, deflate_level, shuffle, fletcher32, zstandard, &
      zstandard_level)
    if (status == nf90_noerr .and. present(endianness)) status = nf90_inq_var_endian(ncid, varid, endianness)
    if (status == nf90_noerr .and. (present(cache_size) .or. present(cache_nelems) .or. present(cache_preemption))) then
      status = nc_get_var_chunk_cache_ints(ncid, varid - 1, c(1), c(2), c(3))
      if (present(cache_size)) cache_size = c(1)
      if (present(cache_nelems)) cache_nelems = c(2)
      if (present(cache_preemption)) cache_preemption = c(3)
    end if
    if (status /= nf90_noerr .or. .not. (present(quantize_mode) .or. present(nsd))) return
    status = nf90_inq_var_quantize(ncid, varid, c(1), c(2))
    if (present(quantize_mode)) quantize_mode = c(1)
    if (present(nsd)) nsd = c(2)
  end function nf90_inquire_variable

  function inquire_storage(ncid, varid, n, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid
    integer(c_int), intent(in) :: n
    logical, optional, intent(out) :: contiguous
    integer, optional, intent(inout) :: chunksizes(:)
    integer :: status, storage, lengths(n)

    status = nf90_noerr
    if (.not. (present(contiguous) .or. present(chunksizes))) return
    status = nf90_inq_var_chunking(ncid, varid, storage, lengths)
    if (status /= nf90_noerr) return
    if (present(contiguous)) contiguous = storage /= nf90_notcontiguous
    if (present(chunksizes)) status = give_ids(lengths, n, 0, chunksizes)
  end function inquire_storage

  function inquire_filters(ncid, varid, deflate_level, shuffle, fletcher32, zstandard, zstandard_level) result(status)
    integer, intent(in) :: ncid, varid
    integer, optional, intent(out) :: deflate_level, zstandard, zstandard_level
    logical, optional, intent(out) :: shuffle, fletcher32
    integer :: status, c(3)

    status = nf90_noerr
    if (present(fletcher32)) then
      status = nf90_inq_var_fletcher32(ncid, varid, c(1))
      fletcher32 = status == nf90_noerr .and. c(1) > 0
    end if
    if (status == nf90_noerr .and. (present(deflate_level) .or. present(shuffle))) then
      status = nf90_inq_var_deflate(ncid, varid, c(1), c(2), c(3))
      if (present(shuffle)) shuffle = status == nf90_noerr .and. c(1) /= 0
      if (present(deflate_level)) deflate_level = c(3)
    end if
    if (status /= nf90_noerr .or. .not. (present(zstandard) .or. present(zstandard_level))) return
    status = nf90_inq_var_zstandard(ncid, varid, c(1), c(2))
    if (status == nf90_enotbuilt .or. status == nf90_enofilter) then
      c = 0
      status = nf90_noerr
    end if
    if (present(zstandard)) zstandard = c(1)
    if (present(zstandard_level)) zstandard_level = c(2)
  end function inquire_filters

  function nf90_def_var_chunking(ncid, varid, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid, contiguous, chunksizes(:)
    integer :: status

    status = nc_def_var_chunking(ncid, varid - 1, contiguous, int(chunksizes(size(chunksizes):1:-1), c_size_t))
  end function nf90_def_var_chunking

  function nf90_inq_var_chunking(ncid, varid, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: contiguous
    integer, intent(inout) :: chunksizes(:)
    integer :: status
    integer(c_int) :: n, storage
    integer(c_size_t), allocatable :: lengths(:)

    contiguous = 0
    status = nc_inq_varndims(ncid, varid - 1, n)
    if (status /= nf90_noerr) return
    allocate (lengths(n), source=0_c_size_t)
    status = nc_inq_var_chunking(ncid, varid - 1, storage, lengths)
    if (status /= nf90_noerr) return
    contiguous = storage
    status = nf90_einval
    if (size(chunksizes) < n) return
    chunksizes(:n) = int(lengths(n:1:-1))
    status = nf90_noerr
  end function nf90_inq_var_chunking

  function nf90_def_var_filter(ncid, varid, filterid, nparams, params) result(status)
    integer, intent(in) :: ncid, varid, filterid, nparams, params(*)
    integer :: status

    status = nc_def_var_filter(ncid, varid - 1, filterid, int(nparams, c_size_t), params)
  end function nf90_def_var_filter

  function nf90_inq_var_filter(ncid, varid, filterid, nparams, params) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: filterid, nparams
    integer, intent(inout) :: params(:)
    integer :: status
    integer(c_int) :: id
    integer(c_size_t) :: n
    integer(c_int), allocatable, target :: numbers(:)

    filterid = 0
    nparams = 0
    status = nc_inq_var_filter(ncid, varid - 1, id, n, c_null_ptr)
    if (status /= nf90_noerr) return
    allocate (numbers(n))
    if (n > 0) status = nc_inq_var_filter(ncid, varid - 1, id, n, c_loc(numbers))
    filterid = id
    nparams = int(n)
    if (status == nf90_noerr) status = give_ids(numbers, int(n, c_int), 0, params)
  end function nf90_inq_var_filter

  ! Shards: objects of many chunks each, of these lengths. Multiples of the chunks'.
  function nczarr_def_var_shards(ncid, varid, lengths) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer :: status

    status = c_def_var_shards(ncid, varid - 1, int(lengths(size(lengths):1:-1), c_size_t))
  end function nczarr_def_var_shards

  ! Chunks that fit the block that this rank writes. All ranks call it.
  function nczarr_def_var_decomposition(ncid, varid, start, count) result(status)
    integer, intent(in) :: ncid, varid, start(:), count(:)
    integer :: status

    status = c_def_var_decomposition(ncid, varid - 1, int(start(size(start):1:-1) - 1, c_size_t), &
      int(count(size(count):1:-1), c_size_t))
  end function nczarr_def_var_decomposition

  ! ---- fill values: converted, since C takes the address of a value of the variable's own type ----

  function def_fill_int(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    integer(int64), intent(in) :: fill
    integer :: status
    integer(c_int) :: xtype
    integer(int64), target :: bytes

    status = nc_inq_vartype(ncid, varid - 1, xtype)
    if (status /= nf90_noerr) return
    if (xtype == nf90_float .or. xtype == nf90_double) then
      status = def_fill_real(ncid, varid, no_fill, real(fill, real64))
      return
    end if
    status = as_type(xtype, fill, bytes)
    if (status == nf90_noerr) status = nc_def_var_fill(ncid, varid - 1, no_fill, c_loc(bytes))
  end function def_fill_int

  function def_fill_real(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    real(real64), intent(in) :: fill
    integer :: status
    integer(c_int) :: xtype
    real(real32), target :: single
    real(real64), target :: double

    status = nc_inq_vartype(ncid, varid - 1, xtype)
    if (status /= nf90_noerr) return
    if (xtype == nf90_float) then
      single = real(fill, real32)
      status = nc_def_var_fill(ncid, varid - 1, no_fill, c_loc(single))
    else if (xtype == nf90_double) then
      double = fill
      status = nc_def_var_fill(ncid, varid - 1, no_fill, c_loc(double))
    else if (abs(fill) < 2._real64**62) then
      status = def_fill_int(ncid, varid, no_fill, nint(fill, int64))
    else
      status = nf90_erange
    end if
  end function def_fill_real

  ! The first bytes of `bytes` become a value of an integer type. nf90_erange: it does not fit.
  function as_type(xtype, value, bytes) result(status)
    integer(c_int), intent(in) :: xtype
    integer(int64), intent(in) :: value
    integer(int64), intent(out) :: bytes
    integer :: status
    integer(int64), parameter :: limits(2, 9) = reshape([ &
      -2_int64**7, 2_int64**7 - 1, 0_int64, 255_int64, -2_int64**15, 2_int64**15 - 1, -2_int64**31, 2_int64**31 - 1, &
      0_int64, 0_int64, 0_int64, 0_int64, 0_int64, 255_int64, 0_int64, 65535_int64, 0_int64, 4294967295_int64], [2, 9])
    integer, parameter :: width(9) = [1, 1, 2, 4, 0, 0, 1, 2, 4]

    bytes = value
    status = nf90_noerr
    if (xtype == nf90_int64 .or. xtype == nf90_uint64) return
    status = nf90_ebadtype
    if (xtype < 1 .or. xtype > 9) return
    if (width(xtype) == 0) return
    status = nf90_erange
    if (value < limits(1, xtype) .or. value > limits(2, xtype)) return
    bytes = 0
    select case (width(xtype))
    case (1)
      bytes = transfer([narrow8(value), 0_int8, 0_int8, 0_int8, 0_int8, 0_int8, 0_int8, 0_int8], bytes)
    case (2)
      bytes = transfer([narrow16(value), 0_int16, 0_int16, 0_int16], bytes)
    case (4)
      bytes = transfer([narrow32(value), 0_int32], bytes)
    end select
    status = nf90_noerr
  end function as_type

  ! The low bits of a number, signed, on machines of either byte order.
  pure function narrow8(value) result(low)
    integer(int64), intent(in) :: value
    integer(int8) :: low

    low = int(iand(value, 127_int64) - iand(value, 128_int64), int8)
  end function narrow8

  pure function narrow16(value) result(low)
    integer(int64), intent(in) :: value
    integer(int16) :: low

    low = int(iand(value, 32767_int64) - iand(value, 32768_int64), int16)
  end function narrow16

  pure function narrow32(value) result(low)
    integer(int64), intent(in) :: value
    integer(int32) :: low

    low = int(iand(value, 2147483647_int64) - iand(value, 2147483648_int64), int32)
  end function narrow32

  ! The number that the first bytes of `bytes` are, of an integer type.
  pure function from_type(xtype, bytes) result(value)
    integer(c_int), intent(in) :: xtype
    integer(int64), intent(in) :: bytes
    integer(int64) :: value
    integer(int8) :: b(8)
    integer(int16) :: s(4)
    integer(int32) :: i(2)

    b = transfer(bytes, b)
    s = transfer(bytes, s)
    i = transfer(bytes, i)
    select case (xtype)
    case (nf90_byte)
      value = b(1)
    case (nf90_char, nf90_ubyte)
      value = iand(int(b(1), int64), 255_int64)
    case (nf90_short)
      value = s(1)
    case (nf90_ushort)
      value = iand(int(s(1), int64), 65535_int64)
    case (nf90_int)
      value = i(1)
    case (nf90_uint)
      value = iand(int(i(1), int64), 4294967295_int64)
    case default
      value = bytes
    end select
  end function from_type

  function inq_fill_int(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    integer(int64), intent(out) :: fill
    integer :: status
    integer(c_int) :: xtype, off
    integer(int64), target :: bytes
    real(real64) :: number

    fill = 0
    status = nc_inq_vartype(ncid, varid - 1, xtype)
    if (status /= nf90_noerr) return
    if (xtype == nf90_float .or. xtype == nf90_double) then
      status = inq_fill_real(ncid, varid, no_fill, number)
      if (status /= nf90_noerr) return
      status = nf90_erange
      if (.not. abs(number) < 2._real64**62) return
      fill = nint(number, int64)
      status = nf90_noerr
      return
    end if
    status = nf90_ebadtype
    if (xtype > nf90_uint64 .or. xtype < nf90_byte) return
    bytes = 0
    status = nc_inq_var_fill(ncid, varid - 1, off, c_loc(bytes))
    if (status /= nf90_noerr) return
    no_fill = off
    fill = from_type(xtype, bytes)
  end function inq_fill_int

  function inq_fill_real(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    real(real64), intent(out) :: fill
    integer :: status
    integer(c_int) :: xtype, off
    integer(int64) :: number
    real(real32), target :: single
    real(real64), target :: double

    fill = 0
    status = nc_inq_vartype(ncid, varid - 1, xtype)
    if (status /= nf90_noerr) return
    if (xtype == nf90_float) then
      single = 0
      status = nc_inq_var_fill(ncid, varid - 1, off, c_loc(single))
      fill = single
    else if (xtype == nf90_double) then
      double = 0
      status = nc_inq_var_fill(ncid, varid - 1, off, c_loc(double))
      fill = double
    else
      status = inq_fill_int(ncid, varid, no_fill, number)
      fill = real(number, real64)
      return
    end if
    if (status == nf90_noerr) no_fill = off
  end function inq_fill_real

  ! ==== generated: fill values
  function def_var_fill_int1(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    integer(int8), intent(in) :: fill
    integer :: status

    status = def_fill_int(ncid, varid, no_fill, int(fill, int64))
  end function def_var_fill_int1

  function inq_var_fill_int1(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    integer(int8), intent(inout) :: fill
    integer :: status
    integer(int64) :: wide

    status = inq_fill_int(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = int(wide, int8)
  end function inq_var_fill_int1

  function def_var_fill_int2(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    integer(int16), intent(in) :: fill
    integer :: status

    status = def_fill_int(ncid, varid, no_fill, int(fill, int64))
  end function def_var_fill_int2

  function inq_var_fill_int2(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    integer(int16), intent(inout) :: fill
    integer :: status
    integer(int64) :: wide

    status = inq_fill_int(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = int(wide, int16)
  end function inq_var_fill_int2

  function def_var_fill_int4(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    integer(int32), intent(in) :: fill
    integer :: status

    status = def_fill_int(ncid, varid, no_fill, int(fill, int64))
  end function def_var_fill_int4

  function inq_var_fill_int4(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    integer(int32), intent(inout) :: fill
    integer :: status
    integer(int64) :: wide

    status = inq_fill_int(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = int(wide, int32)
  end function inq_var_fill_int4

  function def_var_fill_int8(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    integer(int64), intent(in) :: fill
    integer :: status

    status = def_fill_int(ncid, varid, no_fill, int(fill, int64))
  end function def_var_fill_int8

  function inq_var_fill_int8(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    integer(int64), intent(inout) :: fill
    integer :: status
    integer(int64) :: wide

    status = inq_fill_int(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = int(wide, int64)
  end function inq_var_fill_int8

  function def_var_fill_real4(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    real(real32), intent(in) :: fill
    integer :: status

    status = def_fill_real(ncid, varid, no_fill, real(fill, real64))
  end function def_var_fill_real4

  function inq_var_fill_real4(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    real(real32), intent(inout) :: fill
    integer :: status
    real(real64) :: wide

    status = inq_fill_real(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = real(wide, real32)
  end function inq_var_fill_real4

  function def_var_fill_real8(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid, no_fill
    real(real64), intent(in) :: fill
    integer :: status

    status = def_fill_real(ncid, varid, no_fill, real(fill, real64))
  end function def_var_fill_real8

  function inq_var_fill_real8(ncid, varid, no_fill, fill) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(inout) :: no_fill
    real(real64), intent(inout) :: fill
    integer :: status
    real(real64) :: wide

    status = inq_fill_real(ncid, varid, no_fill, wide)
    if (status == nf90_noerr) fill = real(wide, real64)
  end function inq_var_fill_real8
  ! ==== end

  ! ---- user-defined types ----

  function nf90_insert_array_compound(ncid, xtype, name, offset, field_typeid, ndims, dim_sizes) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(in) :: name
    integer, intent(in) :: offset, field_typeid, ndims, dim_sizes(:)
    integer :: status

    status = nf90_einval
    if (ndims < 0 .or. size(dim_sizes) < ndims) return
    status = nc_insert_array_compound(ncid, xtype, c_text(name), int(offset, c_size_t), field_typeid, ndims, dim_sizes)
  end function nf90_insert_array_compound

  function nf90_inq_cmp_fielddim_sizes(ncid, xtype, fieldid, dim_sizes) result(status)
    integer, intent(in) :: ncid, xtype, fieldid
    integer, intent(inout) :: dim_sizes(:)
    integer :: status, n
    integer(c_int), allocatable :: lengths(:)

    status = nf90_inq_compound_fieldndims(ncid, xtype, fieldid, n)
    if (status /= nf90_noerr) return
    allocate (lengths(n), source=0_c_int)
    status = nc_inq_compound_fielddim_sizes(ncid, xtype, fieldid - 1, lengths)
    if (status == nf90_noerr) status = give_ids(lengths, int(n, c_int), 0, dim_sizes)
  end function nf90_inq_cmp_fielddim_sizes

  function nf90_inq_compound_field(ncid, xtype, fieldid, name, offset, field_typeid, ndims, dim_sizes) result(status)
    integer, intent(in) :: ncid, xtype, fieldid
    character(len=*), intent(out) :: name
    integer, intent(out) :: offset, field_typeid, ndims
    integer, intent(inout) :: dim_sizes(:)
    integer :: status

    field_typeid = 0
    ndims = 0
    offset = 0
    status = nf90_inq_compound_fieldname(ncid, xtype, fieldid, name)
    if (status == nf90_noerr) status = nf90_inq_compound_fieldoffset(ncid, xtype, fieldid, offset)
    if (status == nf90_noerr) status = nf90_inq_compound_fieldtype(ncid, xtype, fieldid, field_typeid)
    if (status == nf90_noerr) status = nf90_inq_compound_fieldndims(ncid, xtype, fieldid, ndims)
    if (status == nf90_noerr .and. ndims > 0) status = nf90_inq_cmp_fielddim_sizes(ncid, xtype, fieldid, dim_sizes)
  end function nf90_inq_compound_field

  function base_of_enum(ncid, xtype, base) result(status)
    integer, intent(in) :: ncid, xtype
    integer, intent(out) :: base
    integer :: status, base_size, members
    character(len=nf90_max_name) :: name

    status = nf90_inq_enum(ncid, xtype, name, base, base_size, members)
  end function base_of_enum

  function nf90_insert_enum(ncid, xtype, name, value) result(status)
    integer, intent(in) :: ncid, xtype
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    integer :: status, base
    integer(int64), target :: bytes

    status = base_of_enum(ncid, xtype, base)
    if (status == nf90_noerr) status = as_type(int(base, c_int), int(value, int64), bytes)
    if (status == nf90_noerr) status = nc_insert_enum(ncid, xtype, c_text(name), c_loc(bytes))
  end function nf90_insert_enum

  function nf90_inq_enum_member(ncid, xtype, idx, name, value) result(status)
    integer, intent(in) :: ncid, xtype, idx
    character(len=*), intent(out) :: name
    integer, intent(out) :: value
    integer :: status, base
    character(kind=c_char) :: member(nf90_max_name + 1)
    integer(int64), target :: bytes

    name = ""
    value = 0
    bytes = 0
    status = base_of_enum(ncid, xtype, base)
    if (status == nf90_noerr) status = nc_inq_enum_member(ncid, xtype, idx - 1, member, c_loc(bytes))
    if (status /= nf90_noerr) return
    call take_text(member, name)
    value = int(from_type(int(base, c_int), bytes))
  end function nf90_inq_enum_member

  ! Values of any type: bytes, or an address (c_loc of a variable of a bind(c) type).
  function put_att_bytes(ncid, varid, name, typeid, length, values) result(status)
    integer, intent(in) :: ncid, varid, typeid, length
    character(len=*), intent(in) :: name
    character(len=*), intent(in), target :: values
    integer :: status

    status = nc_put_att(ncid, varid - 1, c_text(name), typeid, int(length, c_size_t), c_loc(values))
  end function put_att_bytes

  function put_att_at(ncid, varid, name, typeid, length, values) result(status)
    integer, intent(in) :: ncid, varid, typeid, length
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in) :: values
    integer :: status

    status = nc_put_att(ncid, varid - 1, c_text(name), typeid, int(length, c_size_t), values)
  end function put_att_at

  function get_att_bytes(ncid, varid, name, length, values) result(status)
    integer, intent(in) :: ncid, varid, length
    character(len=*), intent(in) :: name
    character(len=*), intent(inout), target :: values
    integer :: status

    status = fits(ncid, varid, name, length)
    if (status == nf90_noerr) status = nc_get_att(ncid, varid - 1, c_text(name), c_loc(values))
  end function get_att_bytes

  function get_att_at(ncid, varid, name, length, values) result(status)
    integer, intent(in) :: ncid, varid, length
    character(len=*), intent(in) :: name
    type(c_ptr), intent(in) :: values
    integer :: status

    status = fits(ncid, varid, name, length)
    if (status == nf90_noerr) status = nc_get_att(ncid, varid - 1, c_text(name), values)
  end function get_att_at

  ! Without count, one element: how many bytes one has, a program knows.
  function put_var_bytes(ncid, varid, values, start, count, stride) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in), target :: values
    integer, intent(in), optional :: start(:), count(:), stride(:)
    integer :: status

    status = put_var_at(ncid, varid, c_loc(values), start, count, stride)
  end function put_var_bytes

  function get_var_bytes(ncid, varid, values, start, count, stride) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout), target :: values
    integer, intent(in), optional :: start(:), count(:), stride(:)
    integer :: status

    status = get_var_at(ncid, varid, c_loc(values), start, count, stride)
  end function get_var_bytes

  function put_var_at(ncid, varid, values, start, count, stride) result(status)
    integer, intent(in) :: ncid, varid
    type(c_ptr), intent(in) :: values
    integer, intent(in), optional :: start(:), count(:), stride(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, no_lengths, p, start, count, stride)
    if (status == nf90_noerr) status = nc_put_vars(ncid, varid - 1, p%start, p%count, p%stride, values)
  end function put_var_at

  function get_var_at(ncid, varid, values, start, count, stride) result(status)
    integer, intent(in) :: ncid, varid
    type(c_ptr), intent(in) :: values
    integer, intent(in), optional :: start(:), count(:), stride(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, no_lengths, p, start, count, stride)
    if (status == nf90_noerr) status = nc_get_vars(ncid, varid - 1, p%start, p%count, p%stride, values)
  end function get_var_at

  ! ---- attributes ----

  ! nf90_ests: an attribute is longer than what it is to be put into.
  function fits(ncid, varid, name, room) result(status)
    integer, intent(in) :: ncid, varid, room
    character(len=*), intent(in) :: name
    integer :: status, length

    status = nf90_inquire_attribute(ncid, varid, name, len=length)
    if (status == nf90_noerr .and. length > room) status = nf90_ests
  end function fits

  ! Without trailing blanks, as netCDF has it.
  function put_att_text(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name, values
    integer :: status

    status = nc_put_att_text(ncid, varid - 1, c_text(name), int(len_trim(values), c_size_t), values)
  end function put_att_text

  function get_att_text(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    character(len=*), intent(inout) :: values
    integer :: status, xtype, length
    character(len=len(values)) :: one(1)
    character(kind=c_char), allocatable :: bytes(:)

    status = nf90_inquire_attribute(ncid, varid, name, xtype, length)
    if (status /= nf90_noerr) return
    if (xtype == nf90_string) then
      status = get_att_texts(ncid, varid, name, one)
      if (status == nf90_noerr) values = one(1)
      return
    end if
    allocate (bytes(max(length, 1)))
    status = nc_get_att_text(ncid, varid - 1, c_text(name), bytes)
    if (status /= nf90_noerr) return
    values = ""
    values(:min(length, len(values))) = transfer(bytes(:min(length, len(values))), repeat(" ", min(length, len(values))))
    if (length > len(values)) status = nf90_ests
  end function get_att_text

  ! Attributes of type nf90_string.
  function put_att_texts(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name, values(:)
    integer :: status
    character(kind=c_char, len=len(values) + 1), target :: copies(size(values))

    copies = terminated(values)
    status = nc_put_att_string(ncid, varid - 1, c_text(name), size(values, kind=c_size_t), places_of(copies))
  end function put_att_texts

  function get_att_texts(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    character(len=*), intent(inout) :: values(:)
    integer :: status, length
    type(c_ptr), allocatable :: places(:)

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nf90_inquire_attribute(ncid, varid, name, len=length)
    if (status /= nf90_noerr) return
    allocate (places(length))
    status = nc_get_att_string(ncid, varid - 1, c_text(name), places)
    if (status == nf90_noerr) status = take_strings(places, values)
  end function get_att_texts

  ! ==== generated: values of attributes
  function put_att_int1(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int8), intent(in) :: values(:)
    integer :: status

    status = nc_put_att_schar(ncid, varid - 1, c_text(name), nf90_byte, size(values, kind=c_size_t), values)
  end function put_att_int1

  function put_att_one_int1(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int8), intent(in) :: values
    integer :: status

    status = put_att_int1(ncid, varid, name, [values])
  end function put_att_one_int1

  function get_att_int1(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int8), intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_schar(ncid, varid - 1, c_text(name), values)
  end function get_att_int1

  function get_att_one_int1(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int8), intent(inout) :: values
    integer :: status
    integer(int8) :: one(1)

    one(1) = values
    status = get_att_int1(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_int1

  function put_att_int2(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int16), intent(in) :: values(:)
    integer :: status

    status = nc_put_att_short(ncid, varid - 1, c_text(name), nf90_short, size(values, kind=c_size_t), values)
  end function put_att_int2

  function put_att_one_int2(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int16), intent(in) :: values
    integer :: status

    status = put_att_int2(ncid, varid, name, [values])
  end function put_att_one_int2

  function get_att_int2(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int16), intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_short(ncid, varid - 1, c_text(name), values)
  end function get_att_int2

  function get_att_one_int2(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int16), intent(inout) :: values
    integer :: status
    integer(int16) :: one(1)

    one(1) = values
    status = get_att_int2(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_int2

  function put_att_int4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int32), intent(in) :: values(:)
    integer :: status

    status = nc_put_att_int(ncid, varid - 1, c_text(name), nf90_int, size(values, kind=c_size_t), values)
  end function put_att_int4

  function put_att_one_int4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int32), intent(in) :: values
    integer :: status

    status = put_att_int4(ncid, varid, name, [values])
  end function put_att_one_int4

  function get_att_int4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int32), intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_int(ncid, varid - 1, c_text(name), values)
  end function get_att_int4

  function get_att_one_int4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int32), intent(inout) :: values
    integer :: status
    integer(int32) :: one(1)

    one(1) = values
    status = get_att_int4(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_int4

  function put_att_int8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: values(:)
    integer :: status

    status = nc_put_att_longlong(ncid, varid - 1, c_text(name), nf90_int64, size(values, kind=c_size_t), values)
  end function put_att_int8

  function put_att_one_int8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: values
    integer :: status

    status = put_att_int8(ncid, varid, name, [values])
  end function put_att_one_int8

  function get_att_int8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int64), intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_longlong(ncid, varid - 1, c_text(name), values)
  end function get_att_int8

  function get_att_one_int8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer(int64), intent(inout) :: values
    integer :: status
    integer(int64) :: one(1)

    one(1) = values
    status = get_att_int8(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_int8

  function put_att_real4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real32), intent(in) :: values(:)
    integer :: status

    status = nc_put_att_float(ncid, varid - 1, c_text(name), nf90_float, size(values, kind=c_size_t), values)
  end function put_att_real4

  function put_att_one_real4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real32), intent(in) :: values
    integer :: status

    status = put_att_real4(ncid, varid, name, [values])
  end function put_att_one_real4

  function get_att_real4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real32), intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_float(ncid, varid - 1, c_text(name), values)
  end function get_att_real4

  function get_att_one_real4(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real32), intent(inout) :: values
    integer :: status
    real(real32) :: one(1)

    one(1) = values
    status = get_att_real4(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_real4

  function put_att_real8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real64), intent(in) :: values(:)
    integer :: status

    status = nc_put_att_double(ncid, varid - 1, c_text(name), nf90_double, size(values, kind=c_size_t), values)
  end function put_att_real8

  function put_att_one_real8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real64), intent(in) :: values
    integer :: status

    status = put_att_real8(ncid, varid, name, [values])
  end function put_att_one_real8

  function get_att_real8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real64), intent(inout) :: values(:)
    integer :: status

    status = fits(ncid, varid, name, size(values))
    if (status == nf90_noerr) status = nc_get_att_double(ncid, varid - 1, c_text(name), values)
  end function get_att_real8

  function get_att_one_real8(ncid, varid, name, values) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    real(real64), intent(inout) :: values
    integer :: status
    real(real64) :: one(1)

    one(1) = values
    status = get_att_real8(ncid, varid, name, one)
    values = one(1)
  end function get_att_one_real8
  ! ==== end

  ! ---- strings ----

  ! Each without its trailing blanks, and with C's end.
  pure function terminated(values) result(copies)
    character(len=*), intent(in) :: values(:)
    character(kind=c_char, len=len(values) + 1) :: copies(size(values))
    integer :: i

    do i = 1, size(values)
      copies(i) = trim(values(i))//c_null_char
    end do
  end function terminated

  function places_of(copies) result(places)
    character(kind=c_char, len=*), intent(in), target :: copies(:)
    type(c_ptr) :: places(size(copies))
    integer :: i

    do i = 1, size(copies)
      places(i) = c_loc(copies(i))
    end do
  end function places_of

  ! Strings that C made become those of an array, and go. nf90_ests: one is longer than its place.
  function take_strings(places, values) result(status)
    type(c_ptr), intent(inout) :: places(:)
    character(len=*), intent(inout) :: values(*)
    integer :: status, i
    character(len=:), allocatable :: text
    logical :: cut

    cut = .false.
    do i = 1, size(places)
      text = text_at(places(i))
      cut = cut .or. len(text) > len(values)
      values(i) = text
    end do
    status = nc_free_string(size(places, kind=c_size_t), places)
    if (status == nf90_noerr .and. cut) status = nf90_ests
  end function take_strings

  function put_strings(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(*)
    integer, intent(in) :: lengths(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p
    character(kind=c_char, len=len(values) + 1), allocatable, target :: copies(:)

    status = nf90_emaptype
    if (present(map)) return
    status = describe(ncid, varid, lengths, p, start, count, stride)
    if (status /= nf90_noerr) return
    allocate (copies(product(p%count)))
    copies(:) = terminated(values(:size(copies)))
    status = nc_put_vars_string(ncid, varid - 1, p%start, p%count, p%stride, places_of(copies))
  end function put_strings

  function get_strings(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(*)
    integer, intent(in) :: lengths(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p
    type(c_ptr), allocatable :: places(:)

    status = nf90_emaptype
    if (present(map)) return
    status = describe(ncid, varid, lengths, p, start, count, stride)
    if (status /= nf90_noerr) return
    allocate (places(product(p%count)))
    status = nc_get_vars_string(ncid, varid - 1, p%start, p%count, p%stride, places)
    if (status == nf90_noerr) status = take_strings(places, values)
  end function get_strings

  ! ---- values of variables ----

  ! What a call's arguments mean: `lengths` are those of the array, which count without `count`.
  function describe(ncid, varid, lengths, p, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    type(part), intent(out), target :: p
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status, d, n
    integer(c_int) :: ndims

    status = nc_inq_varndims(ncid, varid - 1, ndims)
    if (status /= nf90_noerr) return
    n = ndims
    allocate (p%start(n), source=0_c_size_t)
    allocate (p%count(n), source=1_c_size_t)
    do d = 1, min(n, size(lengths))
      p%count(n + 1 - d) = lengths(d)
    end do
    if (present(map)) then
      allocate (p%maps(n), source=1_c_intptr_t)
      do d = 2, n ! as the array lies
        p%maps(n + 1 - d) = p%maps(n + 2 - d) * int(p%count(n + 2 - d), c_intptr_t)
      end do
      do d = 1, min(n, size(map))
        p%maps(n + 1 - d) = map(d)
      end do
      if (n > 0) p%map = c_loc(p%maps)
    end if
    if (present(start)) then
      do d = 1, min(n, size(start))
        p%start(n + 1 - d) = start(d) - 1
      end do
    end if
    if (present(count)) then
      do d = 1, min(n, size(count))
        p%count(n + 1 - d) = count(d)
      end do
    end if
    if (present(stride)) then
      allocate (p%strides(n), source=1_c_intptr_t)
      do d = 1, min(n, size(stride))
        p%strides(n + 1 - d) = stride(d)
      end do
      if (n > 0) p%stride = c_loc(p%strides)
    end if
  end function describe

  ! Texts: strings where the variable has them, else characters, whose first dimension is the texts' length.
  function put_text(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(*)
    integer, intent(in) :: lengths(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    integer(c_int) :: xtype
    type(part), target :: p

    status = nc_inq_vartype(ncid, varid - 1, xtype)
    if (status /= nf90_noerr) return
    if (xtype == nf90_string) then
      status = put_strings(ncid, varid, values, lengths, start, count, stride, map)
      return
    end if
    status = describe(ncid, varid, [len(values), lengths], p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_text(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_text

  function get_text(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(*)
    integer, intent(in) :: lengths(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    integer(c_int) :: xtype
    type(part), target :: p

    status = nc_inq_vartype(ncid, varid - 1, xtype)
    if (status /= nf90_noerr) return
    if (xtype == nf90_string) then
      status = get_strings(ncid, varid, values, lengths, start, count, stride, map)
      return
    end if
    status = describe(ncid, varid, [len(values), lengths], p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_text(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_text

  ! ==== generated: values of variables
  ! values: those of an array of any rank, whose lengths are in `lengths`
  function put_int1(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int8), intent(in) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_schar(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_int1

  function put_0_int1(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int8) :: one(1)

    one(1) = values
    status = put_int1(ncid, varid, one, no_lengths, start)
  end function put_0_int1

  function put_1_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_int1

  function put_2_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_int1

  function put_3_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_int1

  function put_4_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_int1

  function put_5_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_int1

  function put_6_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_int1

  function put_7_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_int1

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function get_int1(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int8), intent(inout) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_schar(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_int1

  function get_0_int1(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int8) :: one(1)

    one(1) = values
    status = get_int1(ncid, varid, one, no_lengths, start)
    values = one(1)
  end function get_0_int1

  function get_1_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_int1

  function get_2_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_int1

  function get_3_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_int1

  function get_4_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_int1

  function get_5_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_int1

  function get_6_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_int1

  function get_7_int1(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int8), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int1(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_int1

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function put_int2(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int16), intent(in) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_short(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_int2

  function put_0_int2(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int16) :: one(1)

    one(1) = values
    status = put_int2(ncid, varid, one, no_lengths, start)
  end function put_0_int2

  function put_1_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_int2

  function put_2_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_int2

  function put_3_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_int2

  function put_4_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_int2

  function put_5_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_int2

  function put_6_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_int2

  function put_7_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_int2

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function get_int2(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int16), intent(inout) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_short(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_int2

  function get_0_int2(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int16) :: one(1)

    one(1) = values
    status = get_int2(ncid, varid, one, no_lengths, start)
    values = one(1)
  end function get_0_int2

  function get_1_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_int2

  function get_2_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_int2

  function get_3_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_int2

  function get_4_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_int2

  function get_5_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_int2

  function get_6_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_int2

  function get_7_int2(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int16), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int2(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_int2

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function put_int4(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int32), intent(in) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_int(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_int4

  function put_0_int4(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int32) :: one(1)

    one(1) = values
    status = put_int4(ncid, varid, one, no_lengths, start)
  end function put_0_int4

  function put_1_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_int4

  function put_2_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_int4

  function put_3_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_int4

  function put_4_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_int4

  function put_5_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_int4

  function put_6_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_int4

  function put_7_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_int4

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function get_int4(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int32), intent(inout) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_int(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_int4

  function get_0_int4(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int32) :: one(1)

    one(1) = values
    status = get_int4(ncid, varid, one, no_lengths, start)
    values = one(1)
  end function get_0_int4

  function get_1_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_int4

  function get_2_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_int4

  function get_3_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_int4

  function get_4_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_int4

  function get_5_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_int4

  function get_6_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_int4

  function get_7_int4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int32), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_int4

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function put_int8(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int64), intent(in) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_longlong(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_int8

  function put_0_int8(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int64) :: one(1)

    one(1) = values
    status = put_int8(ncid, varid, one, no_lengths, start)
  end function put_0_int8

  function put_1_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_int8

  function put_2_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_int8

  function put_3_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_int8

  function put_4_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_int8

  function put_5_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_int8

  function put_6_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_int8

  function put_7_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_int8

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function get_int8(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    integer(int64), intent(inout) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_longlong(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_int8

  function get_0_int8(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    integer(int64) :: one(1)

    one(1) = values
    status = get_int8(ncid, varid, one, no_lengths, start)
    values = one(1)
  end function get_0_int8

  function get_1_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_int8

  function get_2_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_int8

  function get_3_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_int8

  function get_4_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_int8

  function get_5_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_int8

  function get_6_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_int8

  function get_7_int8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    integer(int64), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_int8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_int8

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function put_real4(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    real(real32), intent(in) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_float(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_real4

  function put_0_real4(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    real(real32) :: one(1)

    one(1) = values
    status = put_real4(ncid, varid, one, no_lengths, start)
  end function put_0_real4

  function put_1_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_real4

  function put_2_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_real4

  function put_3_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_real4

  function put_4_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_real4

  function put_5_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_real4

  function put_6_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_real4

  function put_7_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_real4

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function get_real4(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    real(real32), intent(inout) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_float(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_real4

  function get_0_real4(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    real(real32) :: one(1)

    one(1) = values
    status = get_real4(ncid, varid, one, no_lengths, start)
    values = one(1)
  end function get_0_real4

  function get_1_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_real4

  function get_2_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_real4

  function get_3_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_real4

  function get_4_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_real4

  function get_5_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_real4

  function get_6_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_real4

  function get_7_real4(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real32), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real4(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_real4

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function put_real8(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    real(real64), intent(in) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_put_varm_double(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function put_real8

  function put_0_real8(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    real(real64) :: one(1)

    one(1) = values
    status = put_real8(ncid, varid, one, no_lengths, start)
  end function put_0_real8

  function put_1_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_real8

  function put_2_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_real8

  function put_3_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_real8

  function put_4_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_real8

  function put_5_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_real8

  function put_6_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_real8

  function put_7_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_real8

  ! values: those of an array of any rank, whose lengths are in `lengths`
  function get_real8(ncid, varid, values, lengths, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid, lengths(:)
    real(real64), intent(inout) :: values(*)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    type(part), target :: p

    status = describe(ncid, varid, lengths, p, start, count, stride, map)
    if (status == nf90_noerr) &
      status = nc_get_varm_double(ncid, varid - 1, p%start, p%count, p%stride, p%map, values)
  end function get_real8

  function get_0_real8(ncid, varid, values, start) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values
    integer, intent(in), optional :: start(:)
    integer :: status
    real(real64) :: one(1)

    one(1) = values
    status = get_real8(ncid, varid, one, no_lengths, start)
    values = one(1)
  end function get_0_real8

  function get_1_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_real8

  function get_2_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_real8

  function get_3_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_real8

  function get_4_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_real8

  function get_5_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_real8

  function get_6_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_real8

  function get_7_real8(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    real(real64), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_real8(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_real8

  function put_0_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    character(len=len(values)) :: one(1)

    one(1) = values
    status = put_text(ncid, varid, one, no_lengths, start, count, stride, map)
  end function put_0_text

  function put_1_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_1_text

  function put_2_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_2_text

  function put_3_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_3_text

  function put_4_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_4_text

  function put_5_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_5_text

  function put_6_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_6_text

  function put_7_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = put_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function put_7_text

  function get_0_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status
    character(len=len(values)) :: one(1)

    one(1) = values
    status = get_text(ncid, varid, one, no_lengths, start, count, stride, map)
    values = one(1)
  end function get_0_text

  function get_1_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_1_text

  function get_2_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_2_text

  function get_3_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_3_text

  function get_4_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_4_text

  function get_5_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_5_text

  function get_6_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_6_text

  function get_7_text(ncid, varid, values, start, count, stride, map) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(inout) :: values(:, :, :, :, :, :, :)
    integer, intent(in), optional :: start(:), count(:), stride(:), map(:)
    integer :: status

    status = get_text(ncid, varid, values, shape(values), start, count, stride, map)
  end function get_7_text
  ! ==== end
end module nczarr
