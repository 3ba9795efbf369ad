! shallow_water.f90 with ranks: each has a block of rows, and all write one dataset.
!
!   mpifort nczarr.f90 netcdf.f90 shallow_water_mpi.f90 -o shallow_water_mpi $(pkg-config --libs nczarr-mpi)
!   mpirun -n 4 ./shallow_water_mpi zarr        (or classic)
program shallow_water_mpi
  use mpi
  use netcdf
  use nczarr, only: nczarr_def_var_decomposition, nczarr_errmsg
  implicit none

  integer, parameter :: nx = 96, rows = 16, steps = 200, every = 10
  real, parameter :: dx = 1000., dt = 5., gravity = 9.81, depth = 100.
  ! Row 0 and row rows + 1 are copies of the neighbours' rows.
  real :: height(nx, 0:rows + 1), u(nx, 0:rows + 1), v(nx, 0:rows + 1)
  integer :: ncid, heightid, dims(3), rank, nranks, step, record, above, below, ierr, i, j, format
  character(len=16) :: kind

  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, nranks, ierr)
  below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  above = merge(rank + 1, MPI_PROC_NULL, rank < nranks - 1)

  call get_command_argument(1, kind)
  if (kind == "classic") then
    call check(nf90_create("waves.nc", nf90_64bit_offset, ncid, comm=MPI_COMM_WORLD, info=MPI_INFO_NULL))
  else
    call check(nf90_create("waves.zarr#mode=nczarr&write=behind", nf90_netcdf4, ncid, comm=MPI_COMM_WORLD, &
      info=MPI_INFO_NULL))
  end if
  call check(nf90_def_dim(ncid, "x", nx, dims(1)))
  call check(nf90_def_dim(ncid, "y", rows * nranks, dims(2)))
  call check(nf90_def_dim(ncid, "time", nf90_unlimited, dims(3)))
  call check(nf90_inq_format(ncid, format))
  call check(nf90_def_var(ncid, "height", nf90_float, dims, heightid))
  if (format == nf90_format_netcdf4) then
    call check(nf90_def_var_deflate(ncid, heightid, 1, 1, 1))
    ! Chunks that are each rank's own, so that none waits for another.
    call check(nczarr_def_var_decomposition(ncid, heightid, [1, rank * rows + 1, 1], [nx, rows, 1]))
  end if
  call check(nf90_put_att(ncid, heightid, "units", "m"))
  call check(nf90_enddef(ncid))
  call check(nf90_var_par_access(ncid, heightid, nf90_collective))

  do j = 0, rows + 1
    do i = 1, nx
      height(i, j) = exp(-((i - 30)**2 + (rank * rows + j - 32)**2) / 40.)
    end do
  end do
  u = 0
  v = 0
  record = 0
  do step = 0, steps
    if (mod(step, every) == 0) then
      record = record + 1
      call check(nf90_put_var(ncid, heightid, height(:, 1:rows), start=[1, rank * rows + 1, record], count=[nx, rows, 1]))
    end if
    call advance()
  end do
  call check(nf90_close(ncid))
  if (rank == 0) print '(i0, a, i0, a)', record, " records of ", nranks, " ranks"
  call mpi_finalize(ierr)

contains

  subroutine advance()
    call exchange(height)
    u(:nx - 1, :) = u(:nx - 1, :) - gravity * dt / dx * (height(2:, :) - height(:nx - 1, :))
    v(:, :rows) = v(:, :rows) - gravity * dt / dx * (height(:, 1:) - height(:, :rows))
    if (rank == 0) v(:, 0) = 0
    if (rank == nranks - 1) v(:, rows) = 0
    height(2:, 1:rows) = height(2:, 1:rows) - depth * dt / dx * (u(2:, 1:rows) - u(:nx - 1, 1:rows))
    height(1, 1:rows) = height(1, 1:rows) - depth * dt / dx * u(1, 1:rows)
    height(:, 1:rows) = height(:, 1:rows) - depth * dt / dx * (v(:, 1:rows) - v(:, :rows - 1))
  end subroutine advance

  subroutine exchange(field)
    real, intent(inout) :: field(nx, 0:rows + 1)

    call mpi_sendrecv(field(:, rows), nx, MPI_REAL, above, 1, field(:, 0), nx, MPI_REAL, below, 1, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierr)
    call mpi_sendrecv(field(:, 1), nx, MPI_REAL, below, 2, field(:, rows + 1), nx, MPI_REAL, above, 2, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierr)
  end subroutine exchange

  subroutine check(status)
    integer, intent(in) :: status

    if (status == nf90_noerr) return
    print '(3a)', trim(nf90_strerror(status)), ": ", nczarr_errmsg()
    call mpi_abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine check
end program shallow_water_mpi
