C     netCDF's Fortran 77 interface: each kind of values by each kind of
C     call, attributes, and what is asked. The path is the argument.
      program oldi
      implicit none
      include 'netcdf.inc'
      character*200 path
      integer ncid, dims(3), ids(7), i, j, k, n, st, xt, nd, na
      integer list(7)
      integer start(2), count(2), step(2), map(2), shape(3)
      character*80 name, text
      character*4 words(3), back(3)
      real r(4, 3), q(4, 3), s(2, 2), t(3, 4), one
      double precision d(4, 3), e(4, 3)
      integer m(4, 3), l(4, 3)
      integer*1 b(4, 3), c(4, 3)
      integer*2 h(4, 3), g(4, 3)
      integer*8 w(4, 3), v(4, 3)
      call get_command_argument(1, path)
      call ok(nf__create(path, nf_netcdf4, 0, 0, ncid))
      call ok(nf_def_dim(ncid, 'x', 4, dims(1)))
      call ok(nf_def_dim(ncid, 'y', 3, dims(2)))
      call ok(nf_def_dim(ncid, 'time', nf_unlimited, dims(3)))
      call ok(nf_def_var(ncid, 'real', nf_real, 2, dims, ids(1)))
      call ok(nf_def_var(ncid, 'double', nf_double, 2, dims, ids(2)))
      call ok(nf_def_var(ncid, 'int', nf_int, 2, dims, ids(3)))
      call ok(nf_def_var(ncid, 'int1', nf_byte, 2, dims, ids(4)))
      call ok(nf_def_var(ncid, 'int2', nf_short, 2, dims, ids(5)))
      call ok(nf_def_var(ncid, 'int64', nf_int64, 2, dims, ids(6)))
      call ok(nf_def_var(ncid, 'text', nf_char, 2, dims, ids(7)))
      call ok(nf_def_var_fill(ncid, ids(1), 0, -9.5))
      call ok(nf_def_var_fill(ncid, ids(5), 1, 0.))
      call ok(nf_def_var_filter(ncid, ids(2), 1, 1, (/3/)))
      call ok(nf_set_var_chunk_cache(ncid, ids(1), 2, 1009, 50))
      call ok(nf_get_var_chunk_cache(ncid, ids(1), i, j, k))
      call yes(i .eq. 2 .and. j .eq. 1009 .and. k .eq. 50)
      call ok(nf_def_grp(ncid, 'first', k))
      call ok(nf_def_grp(ncid, 'second', k))
      call ok(nf_def_dim(k, 'z', 2, i))
      call ok(nf_put_att_text(ncid, ids(1), 'units', 3, 'm/s'))
      call ok(nf_put_att_real(ncid, ids(1), 'range', nf_real, 2, (/0.5,
     &  2.5/)))
      call ok(nf_put_att_text(ncid, ids(3), 'padded', 5, 'ab'//'   '))
      call ok(nf_put_att_int(ncid, nf_global, 'year', nf_short, 1, 77))
      call ok(nf_put_att_double(ncid, ids(2), 'eps', nf_double, 1,
     &  1.d-9))
      call ok(nf_enddef(ncid))
      do j = 1, 3
        do i = 1, 4
          r(i, j) = i + 10 * j
          d(i, j) = i - 10 * j
          m(i, j) = i * 1000 + j
          b(i, j) = int(i * 20 + j, 1)
          h(i, j) = int(i * 200 + j, 2)
          w(i, j) = i * 3000000000_8 + j
        end do
        words(j) = 'abcd'
        words(j)(j:j) = '+'
      end do
      call ok(nf_put_var_real(ncid, ids(1), r))
      call ok(nf_put_var_double(ncid, ids(2), d))
      call ok(nf_put_var_int(ncid, ids(3), m))
      call ok(nf_put_var_int1(ncid, ids(4), b))
      call ok(nf_put_var_int2(ncid, ids(5), h))
      call ok(nf_put_var_int64(ncid, ids(6), w))
      call ok(nf_put_var_text(ncid, ids(7), words))
      start(1) = 2
      start(2) = 3
      call ok(nf_put_var1_real(ncid, ids(1), start, 99.))
      r(2, 3) = 99
      call ok(nf_put_var1_text(ncid, ids(7), start, '?'))
      words(3)(2:2) = '?'
      call ok(nf_close(ncid))

      call ok(nf__open(path, nf_nowrite, 0, ncid))
      call ok(nf_inq_path(ncid, n, name))
      call yes(n .eq. len_trim(path) .and. name .eq. path)
      call ok(nf_inq_grps(ncid, n, shape))
      call yes(n .eq. 2)
      k = shape(2)
      call ok(nf_inq_grpname_full(k, n, name))
      call yes(n .eq. 7 .and. name .eq. '/second')
      call ok(nf_inq_dimids(k, n, shape, 0))
      call yes(n .eq. 1)
      call ok(nf_inq_dimname(k, shape(1), name))
      call yes(name .eq. 'z')
      call ok(nf_inq_varids(ncid, n, list))
      call yes(n .eq. 7 .and. all(list .eq. ids))
      call ok(nf_inq_unlimdims(ncid, n, shape))
      call yes(n .eq. 1 .and. shape(1) .eq. dims(3))
      call ok(nf_inq_typeids(ncid, n, shape))
      call yes(n .eq. 0)
      call ok(nf_inq_var_fill(ncid, ids(1), i, one))
      call yes(i .eq. 0 .and. one .eq. -9.5)
      call ok(nf_inq_var_filter(ncid, ids(2), i, n, shape))
      call yes(i .eq. 1 .and. n .eq. 1 .and. shape(1) .eq. 3)
      call ok(nf_get_chunk_cache(i, j, k))
      call ok(nf_set_chunk_cache(i, j, k))
      call ok(nf_set_default_format(nf_format_netcdf4, i))
      call ok(nf_set_default_format(i, j))
      call yes(j .eq. nf_format_netcdf4)
      call ok(nf_inq(ncid, nd, n, na, i))
      call yes(nd .eq. 3 .and. n .eq. 7 .and. na .eq. 1 .and. i .eq. 3)
      call ok(nf_inq_varid(ncid, 'real', k))
      call yes(k .eq. ids(1))
      call ok(nf_inq_var(ncid, k, name, xt, nd, shape, na))
      call yes(name .eq. 'real' .and. xt .eq. nf_real .and. nd .eq. 2)
      call yes(shape(1) .eq. dims(1) .and. shape(2) .eq. dims(2))
      call yes(na .eq. 3)
      call ok(nf_inq_varnatts(ncid, nf_global, na))
      call yes(na .eq. 1)
      st = nf_get_att_text(ncid, k, 'range', text)
      call yes(st .eq. nf_echar)
      call ok(nf_inq_dim(ncid, dims(2), name, n))
      call yes(name .eq. 'y' .and. n .eq. 3)
      text = 'as before'
      call ok(nf_get_att_text(ncid, k, 'units', text))
      call yes(text .eq. 'm/s')
      call ok(nf_inq_attlen(ncid, ids(3), 'padded', n))
      call yes(n .eq. 5)
      call ok(nf_get_att_real(ncid, k, 'range', q))
      call yes(q(1, 1) .eq. 0.5 .and. q(2, 1) .eq. 2.5)
      call ok(nf_inq_att(ncid, nf_global, 'year', xt, n))
      call yes(xt .eq. nf_short .and. n .eq. 1)
      call ok(nf_get_var_real(ncid, k, q))
      call yes(all(q .eq. r))
      call ok(nf_get_var_double(ncid, ids(2), e))
      call yes(all(e .eq. d))
      call ok(nf_get_var_int(ncid, ids(3), l))
      call yes(all(l .eq. m))
      call ok(nf_get_var_int1(ncid, ids(4), c))
      call yes(all(c .eq. b))
      call ok(nf_get_var_int2(ncid, ids(5), g))
      call yes(all(g .eq. h))
      call ok(nf_get_var_int64(ncid, ids(6), v))
      call yes(all(v .eq. w))
      call ok(nf_get_var_text(ncid, ids(7), back))
      call yes(all(back .eq. words))
      start(1) = 2
      start(2) = 1
      count(1) = 2
      count(2) = 2
      call ok(nf_get_vara_real(ncid, k, start, count, s))
      call yes(all(s .eq. r(2:3, 1:2)))
      step(1) = 2
      step(2) = 2
      call ok(nf_get_vars_real(ncid, k, start, count, step, s))
      call yes(all(s .eq. r(2:4:2, 1:3:2)))
      start(1) = 1
      count(1) = 4
      count(2) = 3
      step(1) = 1
      step(2) = 1
      map(1) = 3
      map(2) = 1
      call ok(nf_get_varm_real(ncid, k, start, count, step, map, t))
      call yes(all(t .eq. transpose(r)))
      call ok(nf_get_var1_real(ncid, k, (/2, 3/), one))
      call yes(one .eq. 99)
      count(1) = 2
      count(2) = 1
      text = 'as before'
      call ok(nf_get_vara_text(ncid, ids(7), start, count, text))
      call yes(text .eq. '+b')
      count(2) = 2
      call ok(nf_get_vara_text(ncid, ids(7), start, count, back))
      call yes(back(1) .eq. '+ba+')
      st = nf_inq_varid(ncid, 'none', k)
      call yes(st .eq. nf_enotvar .and. .not. nf_issyserr(st))
      call yes(nf_strerror(st) .ne. ' ')
      call ok(nf_close(ncid))
      print '(a)', 'the old interface'
      end

      subroutine ok(status)
      implicit none
      include 'netcdf.inc'
      integer status
      if (status .eq. nf_noerr) return
      print '(a)', nf_strerror(status)
      stop 1
      end

      subroutine yes(holds)
      implicit none
      logical holds
      if (holds) return
      print '(a)', 'a wrong value'
      stop 1
      end
