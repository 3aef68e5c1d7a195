/** The gates of `qelib1.inc`: each is a matrix on one qubit, with or without controls, or a sequence of other gates. */

/** Row by row, each entry as its real and imaginary part. */
export type Matrix = readonly [number, number, number, number, number, number, number, number];

/** U(θ, φ, λ), of which all gates on one qubit are special cases. */
export function unitary(theta: number, phi: number, lambda: number): Matrix {
  const [c, s] = [Math.cos(theta / 2), Math.sin(theta / 2)];
  return [
    ...[c, 0, -Math.cos(lambda) * s, -Math.sin(lambda) * s],
    ...[Math.cos(phi) * s, Math.sin(phi) * s, Math.cos(phi + lambda) * c, Math.sin(phi + lambda) * c],
  ] as unknown as Matrix;
}

const { PI } = Math;

/** A rotation about Z by its matrix, so that its phase counts if it is controlled. */
function aboutZ(angle: number): Matrix {
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  return [c, -s, 0, 0, 0, 0, c, s];
}

interface Simple {
  parameters: number;
  /** How many of the first qubits only control whether it happens. */
  controls: number;
  matrix: (...parameters: number[]) => Matrix;
}

const on = (controls: number, parameters: number, matrix: Simple['matrix']): Simple => ({
  controls,
  parameters,
  matrix,
});

export const SIMPLE: Record<string, Simple> = {
  U: on(0, 3, unitary),
  u: on(0, 3, unitary),
  u3: on(0, 3, unitary),
  u2: on(0, 2, (phi = 0, lambda = 0) => unitary(PI / 2, phi, lambda)),
  u1: on(0, 1, (lambda = 0) => unitary(0, 0, lambda)),
  p: on(0, 1, (lambda = 0) => unitary(0, 0, lambda)),
  u0: on(0, 1, () => unitary(0, 0, 0)),
  id: on(0, 0, () => unitary(0, 0, 0)),
  x: on(0, 0, () => unitary(PI, 0, PI)),
  y: on(0, 0, () => unitary(PI, PI / 2, PI / 2)),
  z: on(0, 0, () => unitary(0, 0, PI)),
  h: on(0, 0, () => unitary(PI / 2, 0, PI)),
  s: on(0, 0, () => unitary(0, 0, PI / 2)),
  sdg: on(0, 0, () => unitary(0, 0, -PI / 2)),
  t: on(0, 0, () => unitary(0, 0, PI / 4)),
  tdg: on(0, 0, () => unitary(0, 0, -PI / 4)),
  sx: on(0, 0, () => [0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5]),
  sxdg: on(0, 0, () => [0.5, -0.5, 0.5, 0.5, 0.5, 0.5, 0.5, -0.5]),
  rx: on(0, 1, (theta = 0) => unitary(theta, -PI / 2, PI / 2)),
  ry: on(0, 1, (theta = 0) => unitary(theta, 0, 0)),
  rz: on(0, 1, (phi = 0) => aboutZ(phi)),
  CX: on(1, 0, () => unitary(PI, 0, PI)),
  cx: on(1, 0, () => unitary(PI, 0, PI)),
  cy: on(1, 0, () => unitary(PI, PI / 2, PI / 2)),
  cz: on(1, 0, () => unitary(0, 0, PI)),
  ch: on(1, 0, () => unitary(PI / 2, 0, PI)),
  csx: on(1, 0, () => [0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5]),
  crx: on(1, 1, (theta = 0) => unitary(theta, -PI / 2, PI / 2)),
  cry: on(1, 1, (theta = 0) => unitary(theta, 0, 0)),
  crz: on(1, 1, (phi = 0) => aboutZ(phi)),
  cu1: on(1, 1, (lambda = 0) => unitary(0, 0, lambda)),
  cp: on(1, 1, (lambda = 0) => unitary(0, 0, lambda)),
  cu3: on(1, 3, unitary),
  ccx: on(2, 0, () => unitary(PI, 0, PI)),
  c3x: on(3, 0, () => unitary(PI, 0, PI)),
  c4x: on(4, 0, () => unitary(PI, 0, PI)),
};

/** Defined in the language itself. */
export const COMPOSED = `
gate swap a,b { cx a,b; cx b,a; cx a,b; }
gate cswap a,b,c { cx c,b; ccx a,b,c; cx c,b; }
gate rzz(theta) a,b { cx a,b; rz(theta) b; cx a,b; }
gate rxx(theta) a,b { h a; h b; cx a,b; rz(theta) b; cx a,b; h a; h b; }
gate cu(theta,phi,lambda,gamma) c,t { p(gamma) c; cu3(theta,phi,lambda) c,t; }
`;
