! A model's output in Fortran: waves in a shallow sea, and every tenth step of them in a dataset. The model computes on
! while the library compresses and stores (write=behind).
!
!   gfortran nczarr.f90 netcdf.f90 shallow_water.f90 -o shallow_water $(pkg-config --libs nczarr)
!   ./shallow_water zarr        (or classic, netcdf4: only the call of nf90_create differs)
program shallow_water
  use netcdf
  use nczarr, only: nczarr_errmsg
  implicit none

  integer, parameter :: nx = 96, ny = 64, steps = 200, every = 10
  real, parameter :: dx = 1000., dt = 5., gravity = 9.81, depth = 100.
  real :: height(nx, ny), u(nx, ny), v(nx, ny)
  integer :: ncid, heightid, timeid, step, record
  character(len=16) :: kind

  call get_command_argument(1, kind)
  select case (kind)
  case ("classic")
    call check(nf90_create("waves.nc#write=behind", nf90_64bit_offset, ncid))
  case ("netcdf4")
    call check(nf90_create("waves.nc4#write=behind", nf90_netcdf4, ncid))
  case default
    call check(nf90_create("waves.zarr#mode=nczarr&write=behind", nf90_netcdf4, ncid))
  end select
  call define(ncid, heightid, timeid)
  call start_waves(height, u, v)
  record = 0
  do step = 0, steps
    if (mod(step, every) == 0) then
      record = record + 1
      call check(nf90_put_var(ncid, timeid, step * dt, start=[record]))
      call check(nf90_put_var(ncid, heightid, height, start=[1, 1, record], count=[nx, ny, 1]))
    end if
    call advance(height, u, v)
  end do
  call check(nf90_close(ncid)) ! waits for what is still on its way, and tells of it
  print '(i0, a, f8.4)', record, " records, greatest height ", maxval(height)

contains

  subroutine define(ncid, heightid, timeid)
    integer, intent(in) :: ncid
    integer, intent(out) :: heightid, timeid
    integer :: x, y, time, xid, format, i

    call check(nf90_def_dim(ncid, "x", nx, x))
    call check(nf90_def_dim(ncid, "y", ny, y))
    call check(nf90_def_dim(ncid, "time", nf90_unlimited, time))
    call check(nf90_inq_format(ncid, format))
    if (format == nf90_format_netcdf4) then ! classic files have no compression
      call check(nf90_def_var(ncid, "height", nf90_float, [x, y, time], heightid, chunksizes=[nx, ny, 1], &
        deflate_level=1, shuffle=.true.))
    else
      call check(nf90_def_var(ncid, "height", nf90_float, [x, y, time], heightid))
    end if
    call check(nf90_put_att(ncid, heightid, "units", "m"))
    call check(nf90_put_att(ncid, heightid, "long_name", "height of the surface above its mean"))
    call check(nf90_def_var(ncid, "time", nf90_float, time, timeid))
    call check(nf90_put_att(ncid, timeid, "units", "seconds since 2026-01-01 00:00:00"))
    call check(nf90_def_var(ncid, "x", nf90_float, x, xid))
    call check(nf90_put_att(ncid, xid, "units", "m"))
    call check(nf90_enddef(ncid))
    call check(nf90_put_var(ncid, xid, [(i * dx, i=1, nx)]))
  end subroutine define

  subroutine start_waves(height, u, v)
    real, intent(out) :: height(:, :), u(:, :), v(:, :)
    integer :: i, j

    do j = 1, ny
      do i = 1, nx
        height(i, j) = exp(-((i - 30)**2 + (j - 32)**2) / 40.)
      end do
    end do
    u = 0
    v = 0
  end subroutine start_waves

  ! Walls all round: no water moves through the edges.
  subroutine advance(height, u, v)
    real, intent(inout) :: height(:, :), u(:, :), v(:, :)

    u(:nx - 1, :) = u(:nx - 1, :) - gravity * dt / dx * (height(2:, :) - height(:nx - 1, :))
    v(:, :ny - 1) = v(:, :ny - 1) - gravity * dt / dx * (height(:, 2:) - height(:, :ny - 1))
    height(2:, :) = height(2:, :) - depth * dt / dx * (u(2:, :) - u(:nx - 1, :))
    height(1, :) = height(1, :) - depth * dt / dx * u(1, :)
    height(:, 2:) = height(:, 2:) - depth * dt / dx * (v(:, 2:) - v(:, :ny - 1))
    height(:, 1) = height(:, 1) - depth * dt / dx * v(:, 1)
  end subroutine advance

  subroutine check(status)
    integer, intent(in) :: status

    if (status == nf90_noerr) return
    print '(3a)', trim(nf90_strerror(status)), ": ", nczarr_errmsg()
    error stop 1
  end subroutine check
end program shallow_water
