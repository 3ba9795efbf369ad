! SPDX-License-Identifier: BSD-3-Clause
!
! The names by which programs know netCDF's Fortran 90 interface: `use netcdf`, and `use typeSizes`. nczarr.f90 is all of
! it; leave this file out where netcdf-fortran is used, too.
module typesizes
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private
  integer, parameter, public :: OneByteInt = int8, TwoByteInt = int16, FourByteInt = int32, EightByteInt = int64
  integer, parameter, public :: FourByteReal = real32, EightByteReal = real64
  public :: byteSizesOK

contains

  ! The kinds have the bytes that their names say: the compiler has them by these names.
  pure logical function byteSizesOK()
    byteSizesOK = min(OneByteInt, TwoByteInt, FourByteInt, EightByteInt, FourByteReal, EightByteReal) > 0
  end function byteSizesOK
end module typesizes

module netcdf
  use nczarr
  implicit none
  public
end module netcdf
