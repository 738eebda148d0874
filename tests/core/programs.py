"""Core programs that several tests read."""

EVERYTHING = """\
entry fn f(x: read f64[:], y: mut f64[:,:], b: acc f64[:], w: f64, t: own f64[:], k: read i64[:]) -> f64, f64[:] {
  n = dim &x 0
  c = lt n 5
  check c else ValueError "size {} is \\"too\\" large: {}" (n, 3)
  z = alloc f64 [n, 2] fill 0.0
  u = alloc f32 [] fill 1.5f32
  log = alloc f64 [0]
  reserve &log n
  &log[...] = +nan
  info = alloc i64 [1]
  lu = alloc f64 [2, 2]
  pivots = alloc i64 [2]
  &info &lu &pivots = dense lu (&y)
  &z = dense solve t (&y &lu &pivots)
  &z = dense gemm tnm (&y &lu)
  t2 = copy &t
  &t += &t2
  wi: i32 = cast w
  h = add wi -3i32
  m = select c w -inf
  (r: f64, q: f64[:]) = call g(t, w)
  (a, o) = if c {
    e = load &x [0]
    e.1 = load! &y [0, 1]
    p = mul e e.1
    yield p, q
  } else {
    &b[0] += w
    &y![0, 1] = 1e-300
    yield 2.0, t2
  }
  for i in range(n) {
    &b![i] += 1.0
  }
  for i.1 in range(n, 0, -2) as chunk exits trips trip carry (s: f64 = a, v: f64[:] = o) -> (s.2, v.1) {
    s.1 = add s 1.0
    go = lt s.1 3.0
    yield go, s.1, v
  }
  for i.2 in range(...) exits {
    yield False
  }
  for i.3 in range(1, 4) as chunks {
    if c {
      &z[i.3, 0] = m
    }
  }
  return s.2, v.1
}

fn g(t: own f64[:], w: f64) -> f64, f64[:] {
  call h(&t)
  return w, t
}

fn h(t: acc f64[:]) -> () {
  &t[0] += 1.0
}
""".replace("call h(&t)", "call h(t)")

LINEAR = """\
entry fn f(w: f64, c: bool) -> f64 {
  (w.1, w.2) = dup w
  (w.3, drop) = dup w.2
  drop drop
  r = if c {
    w.4 = read &w.3
    s = sin w.4
    yield s
  } else {
    yield 0.0
  }
  drop w.3
  q = add r w.1
  v = alloc f64 [2]
  u = copy &v
  same &u &v
  drop u
  drop v
  return q
}
"""
