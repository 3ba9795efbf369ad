! The output of a model: heat that spreads over a periodic grid, appended step by step to an unlimited dimension with the
! time as text beside it, as weather models do; a later run continues from the last step.
!
! usage: model (create|open|change DATASET FORMAT PATH)...    see tutorial.c; the dataset is always the same
program model
  use netcdf
  implicit none
  integer, parameter :: nx = 16, ny = 8, nstamp = 19, nsteps = 3
  character(len=600) :: action, form, path
  character(len=200) :: problem
  real(kind=8) :: heat(nx, ny)
  integer :: i, ncid
  logical :: failed = .false.
  do i = 1, command_argument_count() - 3, 4
    call get_command_argument(i, action)
    call get_command_argument(i + 2, form)
    call get_command_argument(i + 3, path)
    problem = ''
    ncid = -1
    select case (action)
    case ('create')
      call define_output()
      heat = 0
      heat(3, 2) = 4096
      heat(9, 7) = -1024
      call run_steps(0)
    case ('change')
      call continue_run()
    case default
      call check_output()
    end select
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

  subroutine try(status, what)
    integer, intent(in) :: status
    character(len=*), intent(in) :: what
    if (status /= nf90_noerr .and. problem == '') problem = what // ': ' // trim(nf90_strerror(status))
  end subroutine try

  function id_of(name) result(varid)
    character(len=*), intent(in) :: name
    integer :: varid
    varid = -1
    call try(nf90_inq_varid(ncid, name, varid), 'inq_varid ' // name)
  end function id_of

  subroutine define_output()
    integer :: mode, x, y, stamp, time, var
    mode = nf90_clobber
    if (form == 'netcdf4') mode = ior(mode, nf90_netcdf4)
    if (form == 'classic') mode = ior(ior(mode, nf90_netcdf4), nf90_classic_model)
    call try(nf90_create(trim(path), mode, ncid), 'create')
    call try(nf90_def_dim(ncid, 'time', nf90_unlimited, time), 'def_dim')
    call try(nf90_def_dim(ncid, 'y', ny, y), 'def_dim')
    call try(nf90_def_dim(ncid, 'x', nx, x), 'def_dim')
    call try(nf90_def_dim(ncid, 'stamp', nstamp, stamp), 'def_dim')
    call try(nf90_def_var(ncid, 'times', nf90_char, (/ stamp, time /), var), 'def_var times')
    call try(nf90_def_var(ncid, 'step', nf90_int, (/ time /), var), 'def_var step')
    call try(nf90_def_var(ncid, 'heat', nf90_double, (/ x, y, time /), var), 'def_var heat')
    call try(nf90_put_att(ncid, var, 'units', 'J'), 'put_att units')
    call try(nf90_put_att(ncid, var, '_FillValue', -1d30), 'put_att _FillValue')
    call try(nf90_put_att(ncid, nf90_global, 'grid', (/ nx, ny /)), 'put_att grid')
    call try(nf90_enddef(ncid), 'enddef')
  end subroutine define_output

  subroutine run_steps(done)
    integer, intent(in) :: done
    integer :: n
    do n = done + 1, done + nsteps
      heat = heat / 2 + (cshift(heat, 1, 1) + cshift(heat, -1, 1) + cshift(heat, 1, 2) + cshift(heat, -1, 2)) / 8
      call put_step(n)
      call try(nf90_sync(ncid), 'sync')
    end do
  end subroutine run_steps

  subroutine put_step(n)
    integer, intent(in) :: n
    character(len=nstamp) :: stamp
    write (stamp, '("2001-01-01_", i2.2, ":00:00")') n
    call try(nf90_put_var(ncid, id_of('times'), stamp, start=(/ 1, n /), count=(/ nstamp, 1 /)), 'put_var times')
    call try(nf90_put_var(ncid, id_of('step'), n, start=(/ n /)), 'put_var step')
    call try(nf90_put_var(ncid, id_of('heat'), heat, start=(/ 1, 1, n /), count=(/ nx, ny, 1 /)), 'put_var heat')
  end subroutine put_step

  function count_steps() result(n)
    integer :: n, time
    n = 0
    call try(nf90_inquire(ncid, unlimitedDimId=time), 'inquire')
    call try(nf90_inquire_dimension(ncid, time, len=n), 'inquire_dimension')
  end function count_steps

  subroutine continue_run()
    integer :: n
    call try(nf90_open(trim(path), nf90_write, ncid), 'open')
    n = count_steps()
    call try(nf90_get_var(ncid, id_of('heat'), heat, start=(/ 1, 1, n /), count=(/ nx, ny, 1 /)), 'get_var heat')
    if (problem == '') call run_steps(n)
  end subroutine continue_run

  subroutine check_output()
    integer :: n, expected, kind
    character(len=nstamp) :: stamp
    integer :: grid(2)
    read (form, *) expected
    call try(nf90_open(trim(path), nf90_nowrite, ncid), 'open')
    call try(nf90_inquire(ncid, formatNum=kind), 'inquire')
    if (kind /= expected .and. problem == '') problem = 'the format'
    call try(nf90_get_att(ncid, nf90_global, 'grid', grid), 'get_att grid')
    n = count_steps()
    if ((n /= nsteps .or. any(grid /= (/ nx, ny /))) .and. problem == '') problem = 'steps, grid'
    call try(nf90_get_var(ncid, id_of('times'), stamp, start=(/ 1, n /), count=(/ nstamp, 1 /)), 'get_var times')
    if (stamp /= '2001-01-01_03:00:00' .and. problem == '') problem = 'times: ' // stamp
    call try(nf90_get_var(ncid, id_of('heat'), heat, start=(/ 1, 1, n /), count=(/ nx, ny, 1 /)), 'get_var heat')
    if (sum(heat) /= 3072 .and. problem == '') problem = 'heat was lost'
  end subroutine check_output

end program model
