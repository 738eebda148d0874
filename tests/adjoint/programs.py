"""Hand-written core programs, the smallest of each difficulty that reverse differentiation has to meet."""

from .programs_found import FOUND

PROGRAMS: dict[str, str] = {**FOUND}

PROGRAMS["branch"] = """
entry fn br(x: own f64, y: own f64) -> f64 {
  c = gt x 0.0
  r = if c {
    s = sin x
    p = mul s y
    yield p
  } else {
    q = exp y
    yield q
  }
  z = mul r r
  return z
}
"""

PROGRAMS["sq"] = """
entry fn sq(x: read f64[:]) -> f64 {
  v = copy &x
  n = dim &x 0
  for i in range(n) {
    e = load &v [i]
    f = sin e
    &v[i] = f
  }
  for j in range(n) carry (s.1: f64 = 0.0) -> (s.3) {
    g = load &v [j]
    h = powi g 3
    s.2 = add s.1 h
    yield s.2
  }
  return s.3
}
"""

PROGRAMS["prefix"] = """
entry fn pre(x: read f64[:], w: own f64) -> f64 {
  v = copy &x
  n = dim &x 0
  for i in range(1, n) {
    im = sub i 1
    a = load &v [im]
    b = load &v [i]
    c = mul a b
    d = mul c w
    f = tanh d
    &v[i] = f
  }
  m = sub n 1
  r = load &v [m]
  return r
}
"""

PROGRAMS["carried"] = """
entry fn car(x: read f64[:], w: own f64) -> f64 {
  n = dim &x 0
  for i in range(n) carry (s.1: f64 = 1.0) -> (s.3) {
    a = load &x [i]
    b = mul s.1 a
    c = gt b 0.5
    s.2 = if c {
      d = sin b
      yield d
    } else {
      d.1 = mul b b
      d.2 = mul d.1 w
      yield d.2
    }
    yield s.2
  }
  z = mul s.3 w
  return z
}
"""

PROGRAMS["tri"] = """
entry fn tri(x: read f64[:], w: own f64) -> f64 {
  v = copy &x
  n = dim &x 0
  for i in range(n) {
    i1 = add i 1
    for j in range(i1, n) {
      a = load &v [i]
      b = load &v [j]
      c = mul a b
      d = sin c
      &v[j] = d
    }
  }
  m = sub n 1
  r = load &v [m]
  r2 = mul r w
  return r2
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

PROGRAMS["swap"] = """
entry fn swp(x: read f64[:], c: own f64, T: own i64) -> f64 {
  u0 = copy &x
  v0 = copy &x
  n = dim &x 0
  m = sub n 1
  for t in range(T) carry (u.1: f64[:] = u0, v.1: f64[:] = v0) -> (u.2, v.2) {
    for i in range(1, m) {
      im = sub i 1
      ip = add i 1
      a = load &u.1 [im]
      b = load &u.1 [i]
      d = load &u.1 [ip]
      p = mul a d
      q = mul b c
      r = add p q
      s = sin r
      &v.1[i] = s
    }
    yield v.1, u.1
  }
  r1 = load &u.2 [2]
  r2 = load &v.2 [1]
  r3 = mul r1 r2
  return r3
}
"""

PROGRAMS["local"] = """
entry fn loc(x: read f64[:,:], w: own f64) -> f64 {
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
    s.a = mul s.1 q.3
    s.2 = sin s.a
    yield s.2
  }
  return s.3
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

PROGRAMS["upd"] = """
entry fn upd(y: mut f64[:], w: own f64) -> f64 {
  n = dim &y 0
  for i in range(n) {
    e = load &y [i]
    f = mul e w
    g = mul f e
    &y[i] = g
  }
  r = load &y [1]
  return r
}
"""

PROGRAMS["res"] = """
entry fn res(x: read f64[:], w: own f64) -> f64[:] {
  n = dim &x 0
  y = alloc f64 [n]
  for i in range(n) {
    e = load &x [i]
    f = mul e w
    g = sin f
    &y[i] = g
  }
  return y
}
"""

PROGRAMS["armloop"] = """
entry fn arm(x: read f64[:], w: own f64) -> f64 {
  n = dim &x 0
  c = gt n 2
  t = if c {
    v = copy &x
    for i in range(1, n) {
      im = sub i 1
      a = load &v [im]
      b = load &v [i]
      d = mul a b
      e = mul d w
      &v[i] = e
    }
    m = sub n 1
    r = load &v [m]
    yield r
  } else {
    r.1 = mul w w
    yield r.1
  }
  z = mul t t
  z2 = mul z w
  return z2
}
"""

PROGRAMS["moved"] = """
entry fn mov(x: read f64[:], w: own f64) -> f64 {
  n = dim &x 0
  c = gt w 0.0
  a = copy &x
  b = copy &x
  &b[0] = w
  u = if c {
    yield a
  } else {
    yield b
  }
  for i in range(n) {
    e = load &u [i]
    f = mul e w
    &u[i] = f
  }
  r = load &u [0]
  q = load &u [1]
  z = mul r q
  return z
}
"""

PROGRAMS["chol"] = """
entry fn chol(A: read f64[:,:]) -> f64 {
  n = dim &A 0
  L = copy &A
  for j0 in range(n) {
    d0 = load &L [j0, j0]
    d1 = add d0 6.0
    &L[j0, j0] = d1
  }
  for j in range(n) {
    for k in range(j) {
      a = load &L [j, k]
      b = load &L [j, k]
      c = mul a b
      nc = neg c
      &L[j, j] += nc
    }
    dd = load &L [j, j]
    ds = sqrt dd
    &L[j, j] = ds
    j1 = add j 1
    for i in range(j1, n) {
      for k2 in range(j) {
        e = load &L [i, k2]
        g = load &L [j, k2]
        h = mul e g
        nh = neg h
        &L[i, j] += nh
      }
      q = load &L [i, j]
      w = load &L [j, j]
      z = div q w
      &L[i, j] = z
    }
  }
  for t in range(n) carry (s.1: f64 = 0.0) -> (s.3) {
    u = load &L [t, t]
    v = log u
    s.2 = add s.1 v
    yield s.2
  }
  return s.3
}
"""

PROGRAMS["dp"] = """
entry fn dp(x: read f64[:], y: read f64[:]) -> f64 {
  n = dim &x 0
  n1 = add n 1
  D = alloc f64 [n1, n1] fill 1.0
  for i in range(1, n1) {
    for j in range(1, n1) {
      im = sub i 1
      jm = sub j 1
      a = load &x [im]
      b = load &y [jm]
      c = sub a b
      c2 = mul c c
      p = load &D [im, jm]
      q = load &D [im, j]
      r = load &D [i, jm]
      pq = mul p q
      pqr = mul pq r
      s = sin pqr
      t = add s c2
      &D[i, j] = t
    }
  }
  z = load &D [n, n]
  return z
}
"""
