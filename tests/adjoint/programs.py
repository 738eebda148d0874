"""Core programs, the smallest of each difficulty that reverse differentiation has to meet, and some that once went wrong."""

PROGRAMS: dict[str, str] = {}

PROGRAMS["recursion"] = """
fn r(x: read f64[:], a: f64, k: i64) -> f64 {
  c = gt k 0
  o = if c {
    m = sub k 1
    e = load &x [m]
    s = sin a
    t = mul s e
    q: f64 = call r(x, t, m)
    u = add q a
    yield u
  } else {
    p = mul a a
    yield p
  }
  return o
}
entry fn f(x: read f64[:], w: f64) -> f64 {
  b: f64 = call r(x, w, 2)
  d: f64 = call r(x, b, 1)
  z = mul b d
  return z
}
"""

PROGRAMS["order2"] = """
entry fn order2(x: read f64[:], idx: read i64[:]) -> f64 {
  n = dim &x 0
  y = alloc f64 [n] fill 1.0
  for i in range(n) {
    e = load &x [i]
    f = mul e e
    j = load &idx [i]
    &y[0] += f
    &y[j] = e
  }
  a = load &y [0]
  b = load &y [1]
  c = mul a b
  return c
}
"""

PROGRAMS["gs"] = """
entry fn gs(u0: read f64[:], c: own f64, T: own i64) -> f64 {
  u = copy &u0
  n = dim &u0 0
  m = sub n 1
  for t in range(T) {
    for i in range(1, m) {
      im = sub i 1
      ip = add i 1
      a = load &u [im]
      b = load &u [i]
      d = load &u [ip]
      b2 = mul 2.0 b
      l1 = sub a b2
      l = add l1 d
      cl = mul c l
      &u[i] += cl
    }
  }
  for q in range(n) carry (s.1: f64 = 0.0) -> (s.3) {
    e = load &u [q]
    e2 = mul e e
    s.2 = add s.1 e2
    yield s.2
  }
  return s.3
}
"""

PROGRAMS["gather"] = """
entry fn loss(x: read f64[:], idx: read i64[:], w: own f64) -> f64 {
  n = dim &idx 0
  m = dim &x 0
  for k in range(n) carry (s.1: f64 = 0.0) -> (s.3) {
    i = load &idx [k]
    j = wrap i m
    e = load &x [j]
    e2 = powi e 2
    t = mul w e2
    s.2 = add s.1 t
    yield s.2
  }
  return s.3
}
"""

PROGRAMS["carried_read_in_arm"] = """
entry fn f(x: read f64[:], w: f64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s.1: f64 = w) -> (s.3) {
    c = gt i 1
    s.2 = if c {
      a = load &x [i]
      b = mul a s.1
      yield b
    } else {
      d = sin s.1
      yield d
    }
    yield s.2
  }
  return s.3
}
"""

PROGRAMS["last_store_wins"] = """
entry fn f(x: read f64[:], w: f64) -> f64[:] {
  n = dim &x 0
  y = alloc f64 [2] fill 0.0
  for i in range(n) {
    e = load &x [i]
    j = mod i 2
    &y[j] = e
  }
  return y
}
"""

PROGRAMS["recursion_in_a_loop"] = """
fn r(a: f64, k: i64) -> f64 {
  c = gt k 0
  o = if c {
    m = sub k 1
    s = sin a
    q: f64 = call r(s, m)
    u = mul q a
    yield u
  } else {
    yield a
  }
  return o
}
entry fn f(x: read f64[:], w: f64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = w) -> (s.2) {
    e = load &x [i]
    t = mul s e
    b: f64 = call r(t, i)
    yield b
  }
  return s.2
}
"""

PROGRAMS["indices_overwritten"] = """
entry fn f(x: read f64[:], q: read i64[:], w: f64) -> f64[:] {
  n = dim &x 0
  p = copy &q
  y = copy &x
  for i in range(n) {
    j = load &p [i]
    e = load &y [j]
    s = sin e
    t = mul s w
    &y[j] = t
    k = add j 1
    k.1 = mod k n
    &p[i] = k.1
    j.2 = load &p [i]
    e.2 = load &y [j.2]
    c = gt e.2 0.4
    if c {
      t.2 = mul e.2 e.2
      &y[j.2] = t.2
    } else {
      &y[j.2] += w
    }
  }
  return y
}
"""

PROGRAMS["cell"] = """
entry fn f(x: read f64[:], w: f64) -> f64[], f64 {
  n = dim &x 0
  v = alloc f64 [] fill 0.5
  for i in range(n) {
    e = load &x [i]
    a = load &v []
    b = mul a e
    c = cos b
    &v[] = c
  }
  u = copy &v
  &u[] += w
  &v += &u
  r = load &v []
  return u, r
}
"""

PROGRAMS["accumulates"] = """
entry fn f(x: read f64[:], b: acc f64[:], w: f64) {
  n = dim &x 0
  for i in range(n) {
    e = load &x [i]
    t = mul e w
    &b[0] += t
    s = sin t
    &b[i] += s
  }
  &b += &x
}
"""

PROGRAMS["nested_while_in_arm"] = """
entry fn f(x: read f64[:], w: f64) -> f64 {
  n = dim &x 0
  for i in range(n, 0, -1) carry (s: f64 = w) -> (s.9) {
    m = sub i 1
    c = gt m 0
    r = if c {
      for t in range(...) exits trips k carry (a: f64 = s) -> (a.9) {
        e = load &x [m]
        g = mul a e
        a.1 = cos g
        for q in range(3) exits carry (h: f64 = a.1) -> (h.9) {
          h.1 = sin h
          h.2 = mul h.1 w
          c.2 = gt h.2 0.1
          yield c.2, h.2
        }
        a.2 = add h.9 a.1
        c.1 = lt t i
        c.3 = gt a.2 0.2
        c.4 = and c.1 c.3
        yield c.4, a.2
      }
      kf: f64 = cast k
      p = mul a.9 kf
      yield p
    } else {
      p.1 = mul s s
      yield p.1
    }
    z = tanh r
    yield z
  }
  return s.9
}
"""

PROGRAMS["whl"] = """
entry fn whl(x: own f64, tol: own f64) -> f64 {
  for t in range(0, ...) carry (y.1: f64 = 1.0) exits -> (y.3) {
    q = mul y.1 y.1
    e = sub q x
    ae = abs e
    c = gt ae tol
    y.2 = if c {
      d = div x y.1
      f = add d y.1
      h = mul f 0.5
      yield h
    } else {
      yield y.1
    }
    yield c, y.2
  }
  return y.3
}
"""

PROGRAMS["localsum"] = """
entry fn locs(x: read f64[:,:], w: own f64) -> f64 {
  n = dim &x 0
  d = dim &x 1
  for i in range(n) carry (s.1: f64 = 0.5) -> (s.3) {
    y = alloc f64 [d] fill 0.0
    for a in range(d) {
      e = load &x [i, a]
      f = mul e w
      &y[a] = f
    }
    for a2 in range(d) {
      for b2 in range(a2, d) {
        g = load &y [a2]
        h = load &x [i, b2]
        k = mul g h
        &y[b2] += k
      }
    }
    for a3 in range(d) carry (q.1: f64 = 0.0) -> (q.3) {
      l = load &y [a3]
      l2 = mul l l
      q.2 = add q.1 l2
      yield q.2
    }
    s.a = sin q.3
    s.2 = add s.1 s.a
    yield s.2
  }
  return s.3
}
"""

PROGRAMS["dropped_in_several_arms"] = """
entry fn f(x: read f64[:], w: f64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = w) -> (s.9) {
    v = copy &x
    u = alloc f64 [n] fill 0.5
    b = gt i 0
    r = if b {
      b.1 = gt i 1
      r.1 = if b.1 {
        &v[0] = s
        yield v
      } else {
        yield u
      }
      yield r.1
    } else {
      yield u
    }
    e = load &r [0]
    e.1 = mul e s
    yield e.1
  }
  return s.9
}
"""

PROGRAMS["sums_in_arms_and_inner_loops"] = """
entry fn f(x: read f64[:], w: f64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s: f64 = w) -> (s.9) {
    c = gt i 1
    s.1 = if c {
      e = load &x [i]
      e2 = mul e e
      s.2 = add s e2
      yield s.2
    } else {
      yield s
    }
    for j in range(i) carry (s.3: f64 = s.1) -> (s.5) {
      e.1 = load &x [j]
      e.2 = sin e.1
      s.4 = sub s.3 e.2
      yield s.4
    }
    yield s.5
  }
  return s.9
}
"""

SINGLE = """
entry fn f(x: read f32[:], w: f64) -> f32, f64 {
  n = dim &x 0
  v = alloc f32 [n] fill 0.0f32
  for i in range(n) carry (s: f64 = w) -> (s.9) {
    e = load &x [i]
    d: f64 = cast e
    t = mul d s
    u: f32 = cast t
    &v[i] = u
    g = mul u e
    &v[0] += g
    s.1 = sin t
    yield s.1
  }
  r = load &v [0]
  return r, s.9
}
"""
