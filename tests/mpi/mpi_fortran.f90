! SPDX-License-Identifier: BSD-3-Clause
! A parallel program of netcdf-fortran's kind: each rank has a block of columns of a record variable. Built with
! netcdf-fortran on libnetcdf.so of -Dnetcdf=true -Dmpi=enabled, and run by `tests/mpi/run --all`.
program mpi_fortran
    use mpi
    use netcdf
    implicit none
    integer, parameter :: nx = 6, ny = 5, nrecs = 3
    integer :: ncid, varid, fixedid, dims(3), rank, nranks, ierr, rec, x, y, length
    integer :: values(nx, ny, 1)
    character(len=512) :: path

    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, nranks, ierr)
    call get_command_argument(1, path)

    call check(nf90_create(path, ior(NF90_NETCDF4, NF90_CLOBBER), ncid, comm=MPI_COMM_WORLD, info=MPI_INFO_NULL))
    call check(nf90_def_dim(ncid, "x", nx * nranks, dims(1)))
    call check(nf90_def_dim(ncid, "y", ny, dims(2)))
    call check(nf90_def_dim(ncid, "time", NF90_UNLIMITED, dims(3)))
    call check(nf90_def_var(ncid, "field", NF90_INT, dims, varid, chunksizes=(/nx, ny, 1/), deflate_level=1))
    call check(nf90_def_var(ncid, "area", NF90_INT, dims(1:2), fixedid))
    call check(nf90_put_att(ncid, varid, "units", "K"))
    call check(nf90_enddef(ncid))
    call check(nf90_var_par_access(ncid, varid, NF90_COLLECTIVE))
    call check(nf90_var_par_access(ncid, fixedid, NF90_INDEPENDENT))
    do rec = 1, nrecs
        call compute(rank, rec)
        call check(nf90_put_var(ncid, varid, values, start=(/rank * nx + 1, 1, rec/), count=(/nx, ny, 1/)))
    end do
    call compute(rank, 0)
    call check(nf90_put_var(ncid, fixedid, values(:, :, 1), start=(/rank * nx + 1, 1/), count=(/nx, ny/)))
    call check(nf90_sync(ncid))
    call check(nf90_close(ncid))

    ! The neighbour's block.
    call check(nf90_open(path, NF90_NOWRITE, ncid, comm=MPI_COMM_WORLD, info=MPI_INFO_NULL))
    call check(nf90_inq_varid(ncid, "field", varid))
    call check(nf90_inq_varid(ncid, "area", fixedid))
    call check(nf90_inquire_dimension(ncid, dims(3), len=length))
    if (length /= nrecs) call fail("the length of time")
    rank = mod(rank + 1, nranks)
    do rec = 1, nrecs
        values = -1
        call check(nf90_get_var(ncid, varid, values, start=(/rank * nx + 1, 1, rec/), count=(/nx, ny, 1/)))
        call compare(rank, rec)
    end do
    values = -1
    call check(nf90_get_var(ncid, fixedid, values(:, :, 1), start=(/rank * nx + 1, 1/), count=(/nx, ny/)))
    call compare(rank, 0)
    call check(nf90_close(ncid))
    call mpi_finalize(ierr)

contains

    integer function value_at(of, rec, x, y)
        integer, intent(in) :: of, rec, x, y
        value_at = 1000 * rec + 10 * (of * nx + x) + y
    end function value_at

    subroutine compute(of, rec)
        integer, intent(in) :: of, rec
        do y = 1, ny
            do x = 1, nx
                values(x, y, 1) = value_at(of, rec, x, y)
            end do
        end do
    end subroutine compute

    subroutine compare(of, rec)
        integer, intent(in) :: of, rec
        do y = 1, ny
            do x = 1, nx
                if (values(x, y, 1) /= value_at(of, rec, x, y)) call fail("a value")
            end do
        end do
    end subroutine compare

    subroutine fail(what)
        character(len=*), intent(in) :: what
        print *, "wrong: ", what
        call mpi_abort(MPI_COMM_WORLD, 1, ierr)
    end subroutine fail

    subroutine check(status)
        integer, intent(in) :: status
        if (status /= NF90_NOERR) call fail(trim(nf90_strerror(status)))
    end subroutine check
end program mpi_fortran
