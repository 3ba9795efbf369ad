! The tutorial's datasets by netCDF's Fortran 90 interface: simple_xy, sfc_pres_temp and pres_temp_4D. Dimensions are
! in Fortran's order, the fastest first.
!
! usage: tutorial (create|open|change DATASET FORMAT PATH)...    see tutorial.c
module tutorial_datasets
  use netcdf
  implicit none
  integer, parameter :: nx = 6, ny = 12, nlat = 6, nlon = 12, nlevel = 2, nrecord = 2
  character(len=200) :: problem = ''

contains

  ! The first problem of a job counts.
  subroutine try(status, what)
    integer, intent(in) :: status
    character(len=*), intent(in) :: what
    if (status /= nf90_noerr .and. problem == '') problem = what // ': ' // trim(nf90_strerror(status))
  end subroutine try

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (.not. condition .and. problem == '') problem = what
  end subroutine expect

  function id_of(ncid, name) result(varid)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer :: varid
    varid = -1
    call try(nf90_inq_varid(ncid, name, varid), 'inq_varid ' // name)
  end function id_of

  subroutine create_simple_xy(ncid, form)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: form
    integer :: x, y, var, group, total, i
    integer :: values(ny, nx)
    integer(kind=8) :: totals(nx)
    call try(nf90_def_dim(ncid, 'x', nx, x), 'def_dim x')
    call try(nf90_def_dim(ncid, 'y', ny, y), 'def_dim y')
    call try(nf90_def_var(ncid, 'data', nf90_int, (/ y, x /), var), 'def_var data')
    if (form == 'netcdf4') then
      call try(nf90_def_grp(ncid, 'more', group), 'def_grp more')
      call try(nf90_def_var(group, 'sum', nf90_int64, (/ x /), total), 'def_var sum')
    end if
    call try(nf90_enddef(ncid), 'enddef')
    values = reshape((/ (i, i = 0, nx * ny - 1) /), (/ ny, nx /))
    call try(nf90_put_var(ncid, var, values), 'put_var data')
    if (form == 'netcdf4') then
      totals = (/ ((144_8 * i + 66) * 1000000000_8, i = 0, nx - 1) /)
      call try(nf90_put_var(group, total, totals), 'put_var sum')
    end if
  end subroutine create_simple_xy

  subroutine open_simple_xy(ncid)
    integer, intent(in) :: ncid
    integer :: values(ny, nx), part(4, 3), i, var
    var = id_of(ncid, 'data')
    call try(nf90_get_var(ncid, var, values), 'get_var data')
    call expect(all(reshape(values, (/ nx * ny /)) == (/ (i, i = 0, nx * ny - 1) /)), 'data')
    call try(nf90_get_var(ncid, var, part, start=(/ 2, 1 /), count=(/ 4, 3 /), stride=(/ 3, 2 /)), 'get_var data, stride')
    call expect(all(part == values(2:11:3, 1:5:2)), 'each third column, each second row')
  end subroutine open_simple_xy

  subroutine change_simple_xy(ncid)
    integer, intent(in) :: ncid
    integer :: i
    call try(nf90_redef(ncid), 'redef')
    call try(nf90_put_att(ncid, nf90_global, 'changed', 'yes'), 'put_att changed')
    call try(nf90_enddef(ncid), 'enddef')
    call try(nf90_put_var(ncid, id_of(ncid, 'data'), (/ (1000 + i, i = 0, ny - 1) /), start=(/ 1, 3 /), count=(/ ny, 1 /)), &
      'put_var data')
  end subroutine change_simple_xy

  subroutine define_coordinates(ncid, lat, lon)
    integer, intent(in) :: ncid
    integer, intent(out) :: lat, lon
    integer :: var
    call try(nf90_def_dim(ncid, 'latitude', nlat, lat), 'def_dim latitude')
    call try(nf90_def_dim(ncid, 'longitude', nlon, lon), 'def_dim longitude')
    call try(nf90_def_var(ncid, 'latitude', nf90_real, lat, var), 'def_var latitude')
    call try(nf90_put_att(ncid, var, 'units', 'degrees_north'), 'put_att')
    call try(nf90_def_var(ncid, 'longitude', nf90_real, lon, var), 'def_var longitude')
    call try(nf90_put_att(ncid, var, 'units', 'degrees_east'), 'put_att')
  end subroutine define_coordinates

  subroutine put_coordinates(ncid)
    integer, intent(in) :: ncid
    integer :: i
    call try(nf90_put_var(ncid, id_of(ncid, 'latitude'), (/ (25. + 5. * i, i = 0, nlat - 1) /)), 'put_var latitude')
    call try(nf90_put_var(ncid, id_of(ncid, 'longitude'), (/ (-125. + 5. * i, i = 0, nlon - 1) /)), 'put_var longitude')
  end subroutine put_coordinates

  subroutine define_fields(ncid, dims, compressed)
    integer, intent(in) :: ncid, dims(:)
    logical, intent(in) :: compressed
    integer :: i, var
    character(len=11), parameter :: names(2) = (/ 'pressure   ', 'temperature' /)
    character(len=7), parameter :: units(2) = (/ 'hPa    ', 'celsius' /)
    do i = 1, 2
      call try(nf90_def_var(ncid, trim(names(i)), nf90_real, dims, var), 'def_var ' // names(i))
      call try(nf90_put_att(ncid, var, 'units', trim(units(i))), 'put_att units')
      if (compressed) call try(nf90_def_var_deflate(ncid, var, 1, 1, 4), 'def_var_deflate')
    end do
  end subroutine define_fields

  function surface(first, step) result(values)
    real, intent(in) :: first, step
    real :: values(nlon, nlat)
    integer :: i, j
    do j = 1, nlat
      values(:, j) = (/ (first + step * ((i - 1) * nlat + j - 1), i = 1, nlon) /)
    end do
  end function surface

  subroutine create_sfc_pres_temp(ncid, form)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: form
    integer :: lat, lon
    call define_coordinates(ncid, lat, lon)
    call define_fields(ncid, (/ lon, lat /), form /= 'clobber')
    call try(nf90_enddef(ncid), 'enddef')
    call put_coordinates(ncid)
    call try(nf90_put_var(ncid, id_of(ncid, 'pressure'), surface(900., 1.)), 'put_var pressure')
    call try(nf90_put_var(ncid, id_of(ncid, 'temperature'), surface(9., .25)), 'put_var temperature')
  end subroutine create_sfc_pres_temp

  subroutine open_sfc_pres_temp(ncid)
    integer, intent(in) :: ncid
    real :: values(nlon, nlat), lat(nlat)
    character(len=20) :: units
    integer :: i
    call try(nf90_get_var(ncid, id_of(ncid, 'temperature'), values), 'get_var temperature')
    call expect(all(values == surface(9., .25)), 'temperature')
    call try(nf90_get_var(ncid, id_of(ncid, 'latitude'), lat), 'get_var latitude')
    call expect(all(lat == (/ (25. + 5. * i, i = 0, nlat - 1) /)), 'latitude')
    units = ''
    call try(nf90_get_att(ncid, id_of(ncid, 'temperature'), 'units', units), 'get_att units')
    call expect(units == 'celsius', 'temperature:units')
  end subroutine open_sfc_pres_temp

  subroutine change_sfc_pres_temp(ncid)
    integer, intent(in) :: ncid
    integer :: dims(2), var, i
    call try(nf90_inquire_variable(ncid, id_of(ncid, 'temperature'), dimids=dims), 'inquire_variable')
    call try(nf90_redef(ncid), 'redef')
    call try(nf90_def_var(ncid, 'humidity', nf90_short, dims, var), 'def_var humidity')
    call try(nf90_put_att(ncid, var, 'scale_factor', 0.01d0), 'put_att scale_factor')
    call try(nf90_enddef(ncid), 'enddef')
    call try(nf90_put_var(ncid, var, reshape((/ (10 * i, i = 0, nlat * nlon - 1) /), (/ nlon, nlat /))), 'put_var humidity')
    call try(nf90_put_var(ncid, id_of(ncid, 'temperature'), (/ (-1.5, i = 1, nlon) /), start=(/ 1, nlat /), &
      count=(/ nlon, 1 /)), 'put_var temperature')
  end subroutine change_sfc_pres_temp

  ! Counted from 0.
  function record_values(first, record) result(values)
    real, intent(in) :: first
    integer, intent(in) :: record
    real :: values(nlon, nlat, nlevel)
    integer :: i
    values = reshape((/ (first + i + 1000 * record, i = 0, nlon * nlat * nlevel - 1) /), shape(values))
  end function record_values

  subroutine put_record(ncid, record)
    integer, intent(in) :: ncid, record
    integer :: start(4), extent(4)
    start = (/ 1, 1, 1, record + 1 /)
    extent = (/ nlon, nlat, nlevel, 1 /)
    call try(nf90_put_var(ncid, id_of(ncid, 'pressure'), record_values(900., record), start, extent), 'put_var pressure')
    call try(nf90_put_var(ncid, id_of(ncid, 'temperature'), record_values(9., record), start, extent), 'put_var temperature')
  end subroutine put_record

  subroutine create_pres_temp_4d(ncid)
    integer, intent(in) :: ncid
    integer :: level, lat, lon, time, record
    call try(nf90_def_dim(ncid, 'level', nlevel, level), 'def_dim level')
    call define_coordinates(ncid, lat, lon)
    call try(nf90_def_dim(ncid, 'time', nf90_unlimited, time), 'def_dim time')
    call define_fields(ncid, (/ lon, lat, level, time /), .false.)
    call try(nf90_enddef(ncid), 'enddef')
    call put_coordinates(ncid)
    do record = 0, nrecord - 1
      call put_record(ncid, record)
    end do
  end subroutine create_pres_temp_4d

  subroutine open_pres_temp_4d(ncid)
    integer, intent(in) :: ncid
    real :: values(nlon, nlat, nlevel, nrecord)
    integer :: time, n, record
    call try(nf90_inquire(ncid, unlimitedDimId=time), 'inquire')
    call try(nf90_inquire_dimension(ncid, time, len=n), 'inquire_dimension')
    call expect(n == nrecord, 'two records')
    call try(nf90_get_var(ncid, id_of(ncid, 'temperature'), values), 'get_var temperature')
    do record = 1, nrecord
      call expect(all(values(:, :, :, record) == record_values(9., record - 1)), 'temperature')
    end do
  end subroutine open_pres_temp_4d

end module tutorial_datasets

program tutorial
  use tutorial_datasets
  implicit none
  character(len=600) :: action, dataset, form, path
  integer :: i, ncid
  logical :: failed = .false.
  do i = 1, command_argument_count() - 3, 4
    call get_command_argument(i, action)
    call get_command_argument(i + 1, dataset)
    call get_command_argument(i + 2, form)
    call get_command_argument(i + 3, path)
    problem = ''
    ncid = -1
    if (action == 'create') then
      call create()
    else
      call open_again()
    end if
    if (ncid /= -1) call try(nf90_close(ncid), 'close')
    if (problem == '') then
      print '(a)', 'ok'
    else
      print '(a)', 'failed: ' // trim(problem)
      failed = .true.
    end if
  end do
  if (failed) stop 1

contains

  subroutine create()
    integer :: mode
    select case (form)
    case ('netcdf4')
      mode = ior(nf90_netcdf4, nf90_clobber)
    case ('classic')
      mode = ior(ior(nf90_netcdf4, nf90_classic_model), nf90_clobber)
    case default
      mode = nf90_clobber
    end select
    call try(nf90_create(trim(path), mode, ncid), 'create')
    if (problem /= '') return
    select case (dataset)
    case ('simple_xy')
      call create_simple_xy(ncid, trim(form))
    case ('sfc_pres_temp')
      call create_sfc_pres_temp(ncid, trim(form))
    case default
      call create_pres_temp_4d(ncid)
    end select
  end subroutine create

  subroutine open_again()
    integer :: expected, kind
    read (form, *) expected
    call try(nf90_open(trim(path), merge(nf90_write, nf90_nowrite, action == 'change'), ncid), 'open')
    if (problem /= '') return
    call try(nf90_inquire(ncid, formatNum=kind), 'inquire')
    call expect(kind == expected, 'the format')
    select case (trim(action) // ' ' // trim(dataset))
    case ('open simple_xy')
      call open_simple_xy(ncid)
    case ('change simple_xy')
      call change_simple_xy(ncid)
    case ('open sfc_pres_temp')
      call open_sfc_pres_temp(ncid)
    case ('change sfc_pres_temp')
      call change_sfc_pres_temp(ncid)
    case ('open pres_temp_4D')
      call open_pres_temp_4d(ncid)
    case default
      call put_record(ncid, nrecord)
    end select
  end subroutine open_again

end program tutorial
