! SPDX-License-Identifier: BSD-3-Clause
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

function nf_redef(ncid) result(status)
  use nczarr, only: nf90_redef
  implicit none
  integer, intent(in) :: ncid
  integer :: status

  status = nf90_redef(ncid)
end function nf_redef

function nf_sync(ncid) result(status)
  use nczarr, only: nf90_sync
  implicit none
  integer, intent(in) :: ncid
  integer :: status

  status = nf90_sync(ncid)
end function nf_sync

function nf_abort(ncid) result(status)
  use nczarr, only: nf90_abort
  implicit none
  integer, intent(in) :: ncid
  integer :: status

  status = nf90_abort(ncid)
end function nf_abort

function nf_close(ncid) result(status)
  use nczarr, only: nf90_close
  implicit none
  integer, intent(in) :: ncid
  integer :: status

  status = nf90_close(ncid)
end function nf_close

function nf_delete(path) result(status)
  use nczarr, only: nf90_delete
  implicit none
  character(len=*), intent(in) :: path
  integer :: status

  status = nf90_delete(path)
end function nf_delete

function nf_set_fill(ncid, fillmode, old_mode) result(status)
  use nczarr, only: nf90_set_fill
  implicit none
  integer, intent(in) :: ncid, fillmode
  integer, intent(out) :: old_mode
  integer :: status

  status = nf90_set_fill(ncid, fillmode, old_mode)
end function nf_set_fill

function nf_inq_format(ncid, format_type) result(status)
  use nczarr, only: nf90_inq_format
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: format_type
  integer :: status

  status = nf90_inq_format(ncid, format_type)
end function nf_inq_format

function nf_def_dim(ncid, name, len, dimid) result(status)
  use nczarr, only: nf90_def_dim
  implicit none
  integer, intent(in) :: ncid, len
  character(len=*), intent(in) :: name
  integer, intent(out) :: dimid
  integer :: status

  status = nf90_def_dim(ncid, name, len, dimid)
end function nf_def_dim

function nf_inq_dimid(ncid, name, dimid) result(status)
  use nczarr, only: nf90_inq_dimid
  implicit none
  integer, intent(in) :: ncid
  character(len=*), intent(in) :: name
  integer, intent(out) :: dimid
  integer :: status

  status = nf90_inq_dimid(ncid, name, dimid)
end function nf_inq_dimid

function nf_rename_dim(ncid, dimid, name) result(status)
  use nczarr, only: nf90_rename_dim
  implicit none
  integer, intent(in) :: ncid, dimid
  character(len=*), intent(in) :: name
  integer :: status

  status = nf90_rename_dim(ncid, dimid, name)
end function nf_rename_dim

function nf_copy_att(ncid_in, varid_in, name, ncid_out, varid_out) result(status)
  use nczarr, only: nf90_copy_att
  implicit none
  integer, intent(in) :: ncid_in, varid_in, ncid_out, varid_out
  character(len=*), intent(in) :: name
  integer :: status

  status = nf90_copy_att(ncid_in, varid_in, name, ncid_out, varid_out)
end function nf_copy_att

function nf_rename_att(ncid, varid, curname, newname) result(status)
  use nczarr, only: nf90_rename_att
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: curname, newname
  integer :: status

  status = nf90_rename_att(ncid, varid, curname, newname)
end function nf_rename_att

function nf_del_att(ncid, varid, name) result(status)
  use nczarr, only: nf90_del_att
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer :: status

  status = nf90_del_att(ncid, varid, name)
end function nf_del_att

function nf_inq_attname(ncid, varid, attnum, name) result(status)
  use nczarr, only: nf90_inq_attname
  implicit none
  integer, intent(in) :: ncid, varid, attnum
  character(len=*), intent(out) :: name
  integer :: status

  status = nf90_inq_attname(ncid, varid, attnum, name)
end function nf_inq_attname

function nf_inq_varid(ncid, name, varid) result(status)
  use nczarr, only: nf90_inq_varid
  implicit none
  integer, intent(in) :: ncid
  character(len=*), intent(in) :: name
  integer, intent(out) :: varid
  integer :: status

  status = nf90_inq_varid(ncid, name, varid)
end function nf_inq_varid

function nf_rename_var(ncid, varid, newname) result(status)
  use nczarr, only: nf90_rename_var
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: newname
  integer :: status

  status = nf90_rename_var(ncid, varid, newname)
end function nf_rename_var

function nf_var_par_access(ncid, varid, access) result(status)
  use nczarr, only: nf90_var_par_access
  implicit none
  integer, intent(in) :: ncid, varid, access
  integer :: status

  status = nf90_var_par_access(ncid, varid, access)
end function nf_var_par_access

function nf_inq_ncid(ncid, name, grp_ncid) result(status)
  use nczarr, only: nf90_inq_ncid
  implicit none
  integer, intent(in) :: ncid
  character(len=*), intent(in) :: name
  integer, intent(out) :: grp_ncid
  integer :: status

  status = nf90_inq_ncid(ncid, name, grp_ncid)
end function nf_inq_ncid

function nf_inq_grp_ncid(ncid, name, grpid) result(status)
  use nczarr, only: nf90_inq_grp_ncid
  implicit none
  integer, intent(in) :: ncid
  character(len=*), intent(in) :: name
  integer, intent(out) :: grpid
  integer :: status

  status = nf90_inq_grp_ncid(ncid, name, grpid)
end function nf_inq_grp_ncid

function nf_inq_grp_full_ncid(ncid, full_name, grpid) result(status)
  use nczarr, only: nf90_inq_grp_full_ncid
  implicit none
  integer, intent(in) :: ncid
  character(len=*), intent(in) :: full_name
  integer, intent(out) :: grpid
  integer :: status

  status = nf90_inq_grp_full_ncid(ncid, full_name, grpid)
end function nf_inq_grp_full_ncid

function nf_inq_grp_parent(ncid, parent_ncid) result(status)
  use nczarr, only: nf90_inq_grp_parent
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: parent_ncid
  integer :: status

  status = nf90_inq_grp_parent(ncid, parent_ncid)
end function nf_inq_grp_parent

function nf_inq_grpname(ncid, name) result(status)
  use nczarr, only: nf90_inq_grpname
  implicit none
  integer, intent(in) :: ncid
  character(len=*), intent(out) :: name
  integer :: status

  status = nf90_inq_grpname(ncid, name)
end function nf_inq_grpname

function nf_inq_grpname_len(ncid, len) result(status)
  use nczarr, only: nf90_inq_grpname_len
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: len
  integer :: status

  status = nf90_inq_grpname_len(ncid, len)
end function nf_inq_grpname_len

function nf_def_grp(parent_ncid, name, new_ncid) result(status)
  use nczarr, only: nf90_def_grp
  implicit none
  integer, intent(in) :: parent_ncid
  character(len=*), intent(in) :: name
  integer, intent(out) :: new_ncid
  integer :: status

  status = nf90_def_grp(parent_ncid, name, new_ncid)
end function nf_def_grp

function nf_rename_grp(grpid, name) result(status)
  use nczarr, only: nf90_rename_grp
  implicit none
  integer, intent(in) :: grpid
  character(len=*), intent(in) :: name
  integer :: status

  status = nf90_rename_grp(grpid, name)
end function nf_rename_grp

function nf_def_var_deflate(ncid, varid, shuffle, deflate, deflate_level) result(status)
  use nczarr, only: nf90_def_var_deflate
  implicit none
  integer, intent(in) :: ncid, varid, shuffle, deflate, deflate_level
  integer :: status

  status = nf90_def_var_deflate(ncid, varid, shuffle, deflate, deflate_level)
end function nf_def_var_deflate

function nf_inq_var_deflate(ncid, varid, shuffle, deflate, deflate_level) result(status)
  use nczarr, only: nf90_inq_var_deflate
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: shuffle, deflate, deflate_level
  integer :: status

  status = nf90_inq_var_deflate(ncid, varid, shuffle, deflate, deflate_level)
end function nf_inq_var_deflate

function nf_def_var_szip(ncid, varid, options_mask, pixels_per_block) result(status)
  use nczarr, only: nf90_def_var_szip
  implicit none
  integer, intent(in) :: ncid, varid, options_mask, pixels_per_block
  integer :: status

  status = nf90_def_var_szip(ncid, varid, options_mask, pixels_per_block)
end function nf_def_var_szip

function nf_inq_var_szip(ncid, varid, options_mask, pixels_per_block) result(status)
  use nczarr, only: nf90_inq_var_szip
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: options_mask, pixels_per_block
  integer :: status

  status = nf90_inq_var_szip(ncid, varid, options_mask, pixels_per_block)
end function nf_inq_var_szip

function nf_def_var_zstandard(ncid, varid, zstandard_level) result(status)
  use nczarr, only: nf90_def_var_zstandard
  implicit none
  integer, intent(in) :: ncid, varid, zstandard_level
  integer :: status

  status = nf90_def_var_zstandard(ncid, varid, zstandard_level)
end function nf_def_var_zstandard

function nf_inq_var_zstandard(ncid, varid, zstandard, zstandard_level) result(status)
  use nczarr, only: nf90_inq_var_zstandard
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: zstandard, zstandard_level
  integer :: status

  status = nf90_inq_var_zstandard(ncid, varid, zstandard, zstandard_level)
end function nf_inq_var_zstandard

function nf_def_var_quantize(ncid, varid, quantize_mode, nsd) result(status)
  use nczarr, only: nf90_def_var_quantize
  implicit none
  integer, intent(in) :: ncid, varid, quantize_mode, nsd
  integer :: status

  status = nf90_def_var_quantize(ncid, varid, quantize_mode, nsd)
end function nf_def_var_quantize

function nf_inq_var_quantize(ncid, varid, quantize_mode, nsd) result(status)
  use nczarr, only: nf90_inq_var_quantize
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: quantize_mode, nsd
  integer :: status

  status = nf90_inq_var_quantize(ncid, varid, quantize_mode, nsd)
end function nf_inq_var_quantize

function nf_def_var_fletcher32(ncid, varid, fletcher32) result(status)
  use nczarr, only: nf90_def_var_fletcher32
  implicit none
  integer, intent(in) :: ncid, varid, fletcher32
  integer :: status

  status = nf90_def_var_fletcher32(ncid, varid, fletcher32)
end function nf_def_var_fletcher32

function nf_inq_var_fletcher32(ncid, varid, fletcher32) result(status)
  use nczarr, only: nf90_inq_var_fletcher32
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: fletcher32
  integer :: status

  status = nf90_inq_var_fletcher32(ncid, varid, fletcher32)
end function nf_inq_var_fletcher32

function nf_def_var_endian(ncid, varid, endian) result(status)
  use nczarr, only: nf90_def_var_endian
  implicit none
  integer, intent(in) :: ncid, varid, endian
  integer :: status

  status = nf90_def_var_endian(ncid, varid, endian)
end function nf_def_var_endian

function nf_inq_var_endian(ncid, varid, endian) result(status)
  use nczarr, only: nf90_inq_var_endian
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: endian
  integer :: status

  status = nf90_inq_var_endian(ncid, varid, endian)
end function nf_inq_var_endian

function nf_inq_libvers() result(status)
  use nczarr, only: nf90_inq_libvers
  implicit none
  character(len=80) :: status

  status = nf90_inq_libvers()
end function nf_inq_libvers

function nf_strerror(ncerr) result(status)
  use nczarr, only: nf90_strerror
  implicit none
  integer, intent(in) :: ncerr
  character(len=80) :: status

  status = nf90_strerror(ncerr)
end function nf_strerror

function nf_issyserr(ncerr) result(status)
  implicit none
  integer, intent(in) :: ncerr
  logical :: status

  status = ncerr > 0
end function nf_issyserr

function nf_create(path, cmode, ncid) result(status)
  use nczarr, only: nf90_create
  implicit none
  character(len=*), intent(in) :: path
  integer, intent(in) :: cmode
  integer, intent(out) :: ncid
  integer :: status

  status = nf90_create(path, cmode, ncid)
end function nf_create

function nf_open(path, mode, ncid) result(status)
  use nczarr, only: nf90_open
  implicit none
  character(len=*), intent(in) :: path
  integer, intent(in) :: mode
  integer, intent(out) :: ncid
  integer :: status

  status = nf90_open(path, mode, ncid)
end function nf_open

function nf_create_par(path, cmode, comm, info, ncid) result(status)
  use nczarr, only: nf90_create_par
  implicit none
  character(len=*), intent(in) :: path
  integer, intent(in) :: cmode, comm, info
  integer, intent(out) :: ncid
  integer :: status

  status = nf90_create_par(path, cmode, comm, info, ncid)
end function nf_create_par

function nf_open_par(path, mode, comm, info, ncid) result(status)
  use nczarr, only: nf90_open_par
  implicit none
  character(len=*), intent(in) :: path
  integer, intent(in) :: mode, comm, info
  integer, intent(out) :: ncid
  integer :: status

  status = nf90_open_par(path, mode, comm, info, ncid)
end function nf_open_par

function nf_enddef(ncid) result(status)
  use nczarr, only: nf90_enddef
  implicit none
  integer, intent(in) :: ncid
  integer :: status

  status = nf90_enddef(ncid)
end function nf_enddef

function nf__enddef(ncid, h_minfree, v_align, v_minfree, r_align) result(status)
  use nczarr, only: nf90_enddef
  implicit none
  integer, intent(in) :: ncid, h_minfree, v_align, v_minfree, r_align
  integer :: status

  status = nf90_enddef(ncid, h_minfree, v_align, v_minfree, r_align)
end function nf__enddef

function nf_inq(ncid, ndims, nvars, ngatts, unlimdimid) result(status)
  use nczarr, only: nf90_inquire
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: ndims, nvars, ngatts, unlimdimid
  integer :: status

  status = nf90_inquire(ncid, ndims, nvars, ngatts, unlimdimid)
end function nf_inq

function nf_inq_ndims(ncid, ndims) result(status)
  use nczarr, only: nf90_inquire
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: ndims
  integer :: status

  status = nf90_inquire(ncid, nDimensions=ndims)
end function nf_inq_ndims

function nf_inq_nvars(ncid, nvars) result(status)
  use nczarr, only: nf90_inquire
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: nvars
  integer :: status

  status = nf90_inquire(ncid, nVariables=nvars)
end function nf_inq_nvars

function nf_inq_natts(ncid, ngatts) result(status)
  use nczarr, only: nf90_inquire
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: ngatts
  integer :: status

  status = nf90_inquire(ncid, nAttributes=ngatts)
end function nf_inq_natts

function nf_inq_unlimdim(ncid, unlimdimid) result(status)
  use nczarr, only: nf90_inquire
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: unlimdimid
  integer :: status

  status = nf90_inquire(ncid, unlimitedDimId=unlimdimid)
end function nf_inq_unlimdim

function nf_inq_dim(ncid, dimid, name, len) result(status)
  use nczarr, only: nf90_inquire_dimension
  implicit none
  integer, intent(in) :: ncid, dimid
  character(len=*), intent(out) :: name
  integer, intent(out) :: len
  integer :: status

  status = nf90_inquire_dimension(ncid, dimid, name, len)
end function nf_inq_dim

function nf_inq_dimname(ncid, dimid, name) result(status)
  use nczarr, only: nf90_inquire_dimension
  implicit none
  integer, intent(in) :: ncid, dimid
  character(len=*), intent(out) :: name
  integer :: status

  status = nf90_inquire_dimension(ncid, dimid, name)
end function nf_inq_dimname

function nf_inq_dimlen(ncid, dimid, len) result(status)
  use nczarr, only: nf90_inquire_dimension
  implicit none
  integer, intent(in) :: ncid, dimid
  integer, intent(out) :: len
  integer :: status

  status = nf90_inquire_dimension(ncid, dimid, len=len)
end function nf_inq_dimlen

function nf_def_var(ncid, name, xtype, ndims, dimids, varid) result(status)
  use nczarr, only: nf90_def_var
  implicit none
  integer, intent(in) :: ncid, xtype, ndims, dimids(*)
  character(len=*), intent(in) :: name
  integer, intent(out) :: varid
  integer :: status

  status = nf90_def_var(ncid, name, xtype, dimids(:ndims), varid)
end function nf_def_var

function nf_inq_var(ncid, varid, name, xtype, ndims, dimids, natts) result(status)
  use nczarr, only: nf90_inquire_variable, nf90_noerr
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(out) :: name
  integer, intent(out) :: xtype, ndims, natts
  integer, intent(inout) :: dimids(*)
  integer :: status

  status = nf90_inquire_variable(ncid, varid, name, xtype, ndims, nAtts=natts)
  if (status == nf90_noerr) status = nf90_inquire_variable(ncid, varid, dimids=dimids(:ndims))
end function nf_inq_var

function nf_inq_varname(ncid, varid, name) result(status)
  use nczarr, only: nf90_inquire_variable
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(out) :: name
  integer :: status

  status = nf90_inquire_variable(ncid, varid, name)
end function nf_inq_varname

function nf_inq_vartype(ncid, varid, xtype) result(status)
  use nczarr, only: nf90_inquire_variable
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: xtype
  integer :: status

  status = nf90_inquire_variable(ncid, varid, xtype=xtype)
end function nf_inq_vartype

function nf_inq_varndims(ncid, varid, ndims) result(status)
  use nczarr, only: nf90_inquire_variable
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: ndims
  integer :: status

  status = nf90_inquire_variable(ncid, varid, ndims=ndims)
end function nf_inq_varndims

function nf_inq_vardimid(ncid, varid, dimids) result(status)
  use nczarr, only: nf90_inquire_variable, nf90_noerr
  use nczarr_netcdf77, only: find_rank
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(inout) :: dimids(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_inquire_variable(ncid, varid, dimids=dimids(:rank))
end function nf_inq_vardimid

function nf_inq_varnatts(ncid, varid, natts) result(status)
  use nczarr, only: nf90_global, nf90_inquire, nf90_inquire_variable
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: natts
  integer :: status

  if (varid == nf90_global) status = nf90_inquire(ncid, nAttributes=natts)
  if (varid /= nf90_global) status = nf90_inquire_variable(ncid, varid, nAtts=natts)
end function nf_inq_varnatts

function nf_def_var_chunking(ncid, varid, storage, chunksizes) result(status)
  use nczarr, only: nf90_def_var_chunking, nf90_noerr
  use nczarr_netcdf77, only: find_rank
  implicit none
  integer, intent(in) :: ncid, varid, storage, chunksizes(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_def_var_chunking(ncid, varid, storage, chunksizes(:rank))
end function nf_def_var_chunking

function nf_inq_var_chunking(ncid, varid, storage, chunksizes) result(status)
  use nczarr, only: nf90_inq_var_chunking, nf90_noerr
  use nczarr_netcdf77, only: find_rank
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: storage
  integer, intent(inout) :: chunksizes(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_inq_var_chunking(ncid, varid, storage, chunksizes(:rank))
end function nf_inq_var_chunking

function nf_inq_att(ncid, varid, name, xtype, len) result(status)
  use nczarr, only: nf90_inquire_attribute
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: xtype, len
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, xtype, len)
end function nf_inq_att

function nf_inq_atttype(ncid, varid, name, xtype) result(status)
  use nczarr, only: nf90_inquire_attribute
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: xtype
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, xtype)
end function nf_inq_atttype

function nf_inq_attlen(ncid, varid, name, len) result(status)
  use nczarr, only: nf90_inquire_attribute
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: len
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=len)
end function nf_inq_attlen

function nf_inq_attid(ncid, varid, name, attnum) result(status)
  use nczarr, only: nf90_inquire_attribute
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer, intent(out) :: attnum
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, attnum=attnum)
end function nf_inq_attid

function nf_put_att_text(ncid, varid, name, len, text) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_size_t
  implicit none
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
  integer :: status

  status = nc_put_att_text(ncid, varid - 1, trim(name)//c_null_char, int(len, c_size_t), text)
end function nf_put_att_text

function nf_get_att_text(ncid, varid, name, text) result(status)
  use nczarr, only: nf90_get_att
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  character(len=*), intent(inout) :: text
  integer :: status

  status = nf90_get_att(ncid, varid, name, text)
end function nf_get_att_text

function nf__create(path, cmode, initialsz, chunksizehint, ncid) result(status)
  use nczarr, only: nf90_create_mp
  implicit none
  character(len=*), intent(in) :: path
  integer, intent(in) :: cmode, initialsz, chunksizehint
  integer, intent(out) :: ncid
  integer :: status

  status = nf90_create_mp(path, cmode, initialsz, 0, chunksizehint, ncid)
end function nf__create

function nf__open(path, mode, chunksizehint, ncid) result(status)
  use nczarr, only: nf90_open_mp
  implicit none
  character(len=*), intent(in) :: path
  integer, intent(in) :: mode, chunksizehint
  integer, intent(out) :: ncid
  integer :: status

  status = nf90_open_mp(path, mode, 0, chunksizehint, ncid)
end function nf__open

function nf_inq_path(ncid, pathlen, path) result(status)
  use nczarr, only: nf90_inq_path
  implicit none
  integer, intent(in) :: ncid
  integer, intent(inout) :: pathlen
  character(len=*), intent(inout) :: path
  integer :: status

  status = nf90_inq_path(ncid, pathlen, path)
end function nf_inq_path

function nf_set_default_format(format, old_format) result(status)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
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
  integer :: status

  status = nc_set_default_format(format, old_format)
end function nf_set_default_format

function nf_def_var_fill(ncid, varid, no_fill, fill_value) result(status)
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
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
  integer :: status

  status = nc_def_var_fill(ncid, varid - 1, no_fill, c_loc(fill_value))
end function nf_def_var_fill

function nf_inq_var_fill(ncid, varid, no_fill, fill_value) result(status)
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
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
  integer :: status

  status = nc_inq_var_fill(ncid, varid - 1, no_fill, c_loc(fill_value))
end function nf_inq_var_fill

function nf_def_var_filter(ncid, varid, filterid, nparams, params) result(status)
  use nczarr, only: nf90_def_var_filter
  implicit none
  integer, intent(in) :: ncid, varid, filterid, nparams, params(*)
  integer :: status

  status = nf90_def_var_filter(ncid, varid, filterid, nparams, params)
end function nf_def_var_filter

function nf_inq_var_filter(ncid, varid, filterid, nparams, params) result(status)
  use nczarr, only: nf90_noerr
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr, c_size_t
  implicit none
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
  integer :: status

  status = nc_inq_var_filter(ncid, varid - 1, filterid, n, c_loc(params))
  if (status == nf90_noerr) nparams = int(n)
end function nf_inq_var_filter

function nf_inq_grpname_full(ncid, nlen, path) result(status)
  use nczarr, only: nf90_inq_grpname_full
  implicit none
  integer, intent(in) :: ncid
  integer, intent(inout) :: nlen
  character(len=*), intent(inout) :: path
  integer :: status

  status = nf90_inq_grpname_full(ncid, nlen, path)
end function nf_inq_grpname_full

function nf_inq_grps(ncid, ngrps, grps) result(status)
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: ngrps
  integer, intent(inout), target :: grps(*)
  interface
    function nc_inq_grps(ncid, n, ids) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: n
      type(c_ptr), value :: ids
      integer(c_int) :: status
    end function nc_inq_grps
  end interface
  integer :: status

  status = nc_inq_grps(ncid, ngrps, c_loc(grps))
end function nf_inq_grps

function nf_inq_typeids(ncid, ntypes, types) result(status)
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: ntypes
  integer, intent(inout), target :: types(*)
  interface
    function nc_inq_typeids(ncid, n, ids) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: n
      type(c_ptr), value :: ids
      integer(c_int) :: status
    end function nc_inq_typeids
  end interface
  integer :: status

  status = nc_inq_typeids(ncid, ntypes, c_loc(types))
end function nf_inq_typeids

function nf_inq_varids(ncid, nvars, vars) result(status)
  use nczarr, only: nf90_noerr
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: nvars
  integer, intent(inout), target :: vars(*)
  interface
    function nc_inq_varids(ncid, n, ids) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: n
      type(c_ptr), value :: ids
      integer(c_int) :: status
    end function nc_inq_varids
  end interface
  integer :: status

  status = nc_inq_varids(ncid, nvars, c_loc(vars))
  if (status == nf90_noerr) vars(:nvars) = vars(:nvars) + 1
end function nf_inq_varids

function nf_inq_unlimdims(ncid, ndims, dims) result(status)
  use nczarr, only: nf90_noerr
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  integer, intent(in) :: ncid
  integer, intent(out) :: ndims
  integer, intent(inout), target :: dims(*)
  interface
    function nc_inq_unlimdims(ncid, n, ids) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: n
      type(c_ptr), value :: ids
      integer(c_int) :: status
    end function nc_inq_unlimdims
  end interface
  integer :: status

  status = nc_inq_unlimdims(ncid, ndims, c_loc(dims))
  if (status == nf90_noerr) dims(:ndims) = dims(:ndims) + 1
end function nf_inq_unlimdims

function nf_inq_dimids(ncid, ndims, dims, include_parents) result(status)
  use nczarr, only: nf90_noerr
  use, intrinsic :: iso_c_binding, only: c_int, c_loc, c_ptr
  implicit none
  integer, intent(in) :: ncid, include_parents
  integer, intent(out) :: ndims
  integer, intent(inout), target :: dims(*)
  interface
    function nc_inq_dimids(ncid, n, ids, include_parents) bind(c) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: ncid, include_parents
      integer(c_int), intent(out) :: n
      type(c_ptr), value :: ids
      integer(c_int) :: status
    end function nc_inq_dimids
  end interface
  integer :: status

  status = nc_inq_dimids(ncid, ndims, c_loc(dims), include_parents)
  if (status == nf90_noerr) dims(:ndims) = dims(:ndims) + 1
end function nf_inq_dimids

function nf_set_chunk_cache(size, nelems, preemption) result(status)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: size, nelems, preemption
  interface
    function nc_set_chunk_cache_ints(size, nelems, preemption) bind(c) result(status)
      import :: c_int
      integer(c_int), value :: size, nelems, preemption
      integer(c_int) :: status
    end function nc_set_chunk_cache_ints
  end interface
  integer :: status

  status = nc_set_chunk_cache_ints(size, nelems, preemption)
end function nf_set_chunk_cache

function nf_set_var_chunk_cache(ncid, varid, size, nelems, preemption) result(status)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(in) :: size, nelems, preemption
  interface
    function nc_set_var_chunk_cache_ints(ncid, varid, size, nelems, preemption) bind(c) result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), value :: size, nelems, preemption
      integer(c_int) :: status
    end function nc_set_var_chunk_cache_ints
  end interface
  integer :: status

  status = nc_set_var_chunk_cache_ints(ncid, varid - 1, size, nelems, preemption)
end function nf_set_var_chunk_cache

function nf_get_chunk_cache(size, nelems, preemption) result(status)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(out) :: size, nelems, preemption
  interface
    function nc_get_chunk_cache_ints(size, nelems, preemption) bind(c) result(status)
      import :: c_int
      integer(c_int), intent(out) :: size, nelems, preemption
      integer(c_int) :: status
    end function nc_get_chunk_cache_ints
  end interface
  integer :: status

  status = nc_get_chunk_cache_ints(size, nelems, preemption)
end function nf_get_chunk_cache

function nf_get_var_chunk_cache(ncid, varid, size, nelems, preemption) result(status)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer, intent(in) :: ncid, varid
  integer, intent(out) :: size, nelems, preemption
  interface
    function nc_get_var_chunk_cache_ints(ncid, varid, size, nelems, preemption) bind(c) result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: size, nelems, preemption
      integer(c_int) :: status
    end function nc_get_var_chunk_cache_ints
  end interface
  integer :: status

  status = nc_get_var_chunk_cache_ints(ncid, varid - 1, size, nelems, preemption)
end function nf_get_var_chunk_cache

function nf_put_att_int1(ncid, varid, name, xtype, len, values) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_signed_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  integer(int8), intent(in) :: values(*)
  interface
    function nc_put_att_schar(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: c_char, c_int, c_signed_char, c_size_t
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      integer(c_signed_char), intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_schar
  end interface
  integer :: status

  status = nc_put_att_schar(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)
end function nf_put_att_int1

function nf_get_att_int1(ncid, varid, name, values) result(status)
  use nczarr, only: nf90_get_att, nf90_inquire_attribute, nf90_noerr
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer(int8), intent(inout) :: values(*)
  integer :: length
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=length)
  if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
end function nf_get_att_int1

function nf_put_att_int2(ncid, varid, name, xtype, len, values) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_short, c_size_t
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  integer(int16), intent(in) :: values(*)
  interface
    function nc_put_att_short(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: c_char, c_int, c_short, c_size_t
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      integer(c_short), intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_short
  end interface
  integer :: status

  status = nc_put_att_short(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)
end function nf_put_att_int2

function nf_get_att_int2(ncid, varid, name, values) result(status)
  use nczarr, only: nf90_get_att, nf90_inquire_attribute, nf90_noerr
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer(int16), intent(inout) :: values(*)
  integer :: length
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=length)
  if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
end function nf_get_att_int2

function nf_put_att_int(ncid, varid, name, xtype, len, values) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  integer(int32), intent(in) :: values(*)
  interface
    function nc_put_att_int(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      integer(c_int), intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_int
  end interface
  integer :: status

  status = nc_put_att_int(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)
end function nf_put_att_int

function nf_get_att_int(ncid, varid, name, values) result(status)
  use nczarr, only: nf90_get_att, nf90_inquire_attribute, nf90_noerr
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer(int32), intent(inout) :: values(*)
  integer :: length
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=length)
  if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
end function nf_get_att_int

function nf_put_att_int64(ncid, varid, name, xtype, len, values) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_long_long, c_null_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  integer(int64), intent(in) :: values(*)
  interface
    function nc_put_att_longlong(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: c_char, c_int, c_long_long, c_size_t
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      integer(c_long_long), intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_longlong
  end interface
  integer :: status

  status = nc_put_att_longlong(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)
end function nf_put_att_int64

function nf_get_att_int64(ncid, varid, name, values) result(status)
  use nczarr, only: nf90_get_att, nf90_inquire_attribute, nf90_noerr
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  integer(int64), intent(inout) :: values(*)
  integer :: length
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=length)
  if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
end function nf_get_att_int64

function nf_put_att_real(ncid, varid, name, xtype, len, values) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_float, c_int, c_null_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  real(real32), intent(in) :: values(*)
  interface
    function nc_put_att_float(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: c_char, c_float, c_int, c_size_t
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      real(c_float), intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_float
  end interface
  integer :: status

  status = nc_put_att_float(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)
end function nf_put_att_real

function nf_get_att_real(ncid, varid, name, values) result(status)
  use nczarr, only: nf90_get_att, nf90_inquire_attribute, nf90_noerr
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  real(real32), intent(inout) :: values(*)
  integer :: length
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=length)
  if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
end function nf_get_att_real

function nf_put_att_double(ncid, varid, name, xtype, len, values) result(status)
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_size_t
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, xtype, len
  character(len=*), intent(in) :: name
  real(real64), intent(in) :: values(*)
  interface
    function nc_put_att_double(ncid, varid, name, xtype, len, values) bind(c) result(status)
      import :: c_char, c_double, c_int, c_size_t
      integer(c_int), value :: ncid, varid, xtype
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: status
    end function nc_put_att_double
  end interface
  integer :: status

  status = nc_put_att_double(ncid, varid - 1, trim(name)//c_null_char, xtype, int(len, c_size_t), values)
end function nf_put_att_double

function nf_get_att_double(ncid, varid, name, values) result(status)
  use nczarr, only: nf90_get_att, nf90_inquire_attribute, nf90_noerr
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: name
  real(real64), intent(inout) :: values(*)
  integer :: length
  integer :: status

  status = nf90_inquire_attribute(ncid, varid, name, len=length)
  if (status == nf90_noerr) status = nf90_get_att(ncid, varid, name, values(:length))
end function nf_get_att_double

function nf_put_var1_text(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  character(len=*), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values(:1), start(:rank), spread(1, 1, rank))
end function nf_put_var1_text

function nf_put_var_text(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:(nelems(shape) + len(values) - 1) / len(values)), &
    count=shape)
end function nf_put_var_text

function nf_put_vara_text(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  character(len=*), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:(nelems(count(:rank)) + len(values) - 1) / len(values)), &
    start(:rank), count(:rank))
end function nf_put_vara_text

function nf_put_vars_text(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  character(len=*), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:(nelems(count(:rank)) + len(values) - 1) / len(values)), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_text

function nf_put_varm_text(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  character(len=*), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:(nelems(count(:rank), map(:rank)) + len(values) - 1) / len(values)), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_text

function nf_get_var1_text(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  character(len=*), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values(:1), start(:rank), spread(1, 1, rank))
end function nf_get_var1_text

function nf_get_var_text(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  implicit none
  integer, intent(in) :: ncid, varid
  character(len=*), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) values(1) = ""
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:(nelems(shape) + len(values) - 1) / len(values)), &
    count=shape)
end function nf_get_var_text

function nf_get_vara_text(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  character(len=*), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) values(1) = ""
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:(nelems(count(:rank)) + len(values) - 1) / len(values)), &
    start(:rank), count(:rank))
end function nf_get_vara_text

function nf_get_vars_text(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  character(len=*), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) values(1) = ""
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:(nelems(count(:rank)) + len(values) - 1) / len(values)), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_text

function nf_get_varm_text(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  character(len=*), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) values(1) = ""
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:(nelems(count(:rank), map(:rank)) + len(values) - 1) / len(values)), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_text

function nf_put_var1_int1(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int8), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values, start(:rank))
end function nf_put_var1_int1

function nf_put_var_int1(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int8), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_put_var_int1

function nf_put_vara_int1(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int8), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_put_vara_int1

function nf_put_vars_int1(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int8), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_int1

function nf_put_varm_int1(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int8), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_int1

function nf_get_var1_int1(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int8), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values, start(:rank))
end function nf_get_var1_int1

function nf_get_var_int1(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int8), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_get_var_int1

function nf_get_vara_int1(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int8), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_get_vara_int1

function nf_get_vars_int1(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int8), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_int1

function nf_get_varm_int1(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int8
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int8), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_int1

function nf_put_var1_int2(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int16), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values, start(:rank))
end function nf_put_var1_int2

function nf_put_var_int2(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int16), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_put_var_int2

function nf_put_vara_int2(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int16), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_put_vara_int2

function nf_put_vars_int2(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int16), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_int2

function nf_put_varm_int2(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int16), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_int2

function nf_get_var1_int2(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int16), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values, start(:rank))
end function nf_get_var1_int2

function nf_get_var_int2(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int16), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_get_var_int2

function nf_get_vara_int2(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int16), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_get_vara_int2

function nf_get_vars_int2(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int16), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_int2

function nf_get_varm_int2(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int16
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int16), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_int2

function nf_put_var1_int(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int32), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values, start(:rank))
end function nf_put_var1_int

function nf_put_var_int(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int32), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_put_var_int

function nf_put_vara_int(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int32), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_put_vara_int

function nf_put_vars_int(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int32), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_int

function nf_put_varm_int(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int32), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_int

function nf_get_var1_int(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int32), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values, start(:rank))
end function nf_get_var1_int

function nf_get_var_int(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int32), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_get_var_int

function nf_get_vara_int(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int32), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_get_vara_int

function nf_get_vars_int(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int32), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_int

function nf_get_varm_int(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int32), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_int

function nf_put_var1_int64(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int64), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values, start(:rank))
end function nf_put_var1_int64

function nf_put_var_int64(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int64), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_put_var_int64

function nf_put_vara_int64(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int64), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_put_vara_int64

function nf_put_vars_int64(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int64), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_int64

function nf_put_varm_int64(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int64), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_int64

function nf_get_var1_int64(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  integer(int64), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values, start(:rank))
end function nf_get_var1_int64

function nf_get_var_int64(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid
  integer(int64), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_get_var_int64

function nf_get_vara_int64(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  integer(int64), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_get_vara_int64

function nf_get_vars_int64(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  integer(int64), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_int64

function nf_get_varm_int64(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  integer(int64), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_int64

function nf_put_var1_real(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  real(real32), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values, start(:rank))
end function nf_put_var1_real

function nf_put_var_real(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid
  real(real32), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_put_var_real

function nf_put_vara_real(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  real(real32), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_put_vara_real

function nf_put_vars_real(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  real(real32), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_real

function nf_put_varm_real(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  real(real32), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_real

function nf_get_var1_real(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  real(real32), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values, start(:rank))
end function nf_get_var1_real

function nf_get_var_real(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid
  real(real32), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_get_var_real

function nf_get_vara_real(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  real(real32), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_get_vara_real

function nf_get_vars_real(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  real(real32), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_real

function nf_get_varm_real(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  real(real32), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_real

function nf_put_var1_double(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  real(real64), intent(in) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, values, start(:rank))
end function nf_put_var1_double

function nf_put_var_double(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid
  real(real64), intent(in) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_put_var_double

function nf_put_vara_double(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  real(real64), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_put_vara_double

function nf_put_vars_double(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  real(real64), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_put_vars_double

function nf_put_varm_double(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_put_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  real(real64), intent(in) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_put_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_put_varm_double

function nf_get_var1_double(ncid, varid, start, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*)
  real(real64), intent(inout) :: values
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, values, start(:rank))
end function nf_get_var1_double

function nf_get_var_double(ncid, varid, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_shape, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid
  real(real64), intent(inout) :: values(*)
  integer, allocatable :: shape(:)
  integer :: status

  call find_shape(ncid, varid, shape, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(shape)), &
    count=shape)
end function nf_get_var_double

function nf_get_vara_double(ncid, varid, start, count, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*)
  real(real64), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank))
end function nf_get_vara_double

function nf_get_vars_double(ncid, varid, start, count, stride, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*)
  real(real64), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank))), &
    start(:rank), count(:rank), stride(:rank))
end function nf_get_vars_double

function nf_get_varm_double(ncid, varid, start, count, stride, map, values) result(status)
  use nczarr, only: nf90_noerr, nf90_get_var
  use nczarr_netcdf77, only: find_rank, nelems
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, intent(in) :: ncid, varid, start(*), count(*), stride(*), map(*)
  real(real64), intent(inout) :: values(*)
  integer :: rank
  integer :: status

  call find_rank(ncid, varid, rank, status)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, &
    values(:nelems(count(:rank), map(:rank))), &
    start(:rank), count(:rank), stride(:rank), map(:rank))
end function nf_get_varm_double
