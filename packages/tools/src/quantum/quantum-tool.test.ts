import type { JsonObject, Outcome } from '@woof/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exerciseTool, MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { createQuantumTool } from './quantum-tool.ts';

const HEAD = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n';
const BELL = `${HEAD}qreg q[2];\ncreg c[2];\nh q[0];\ncx q[0],q[1];\nmeasure q -> c;\n`;
const WIDE = `${HEAD}qreg q[20];\ncreg c[20];\n${'h q;\n'.repeat(150)}measure q -> c;\n`;

const tool = createQuantumTool();
const run = (input: JsonObject, context = {}) =>
  tool.run(toolCall({ input }), toolContext(context)) as Promise<Outcome>;
const countsOf = async (program: string, more: JsonObject = {}) => {
  const { result, error } = await run({ operation: 'run', program, ...more });
  expect(error).toBeUndefined();
  return (result as { counts: Record<string, number> }).counts;
};

exerciseTool('quantum', {
  make: createQuantumTool,
  good: [{ input: { program: BELL } }, { input: { operation: 'run', qasm: BELL, shots: 10 } }],
  bad: [
    [{ input: {} }, /"program" is missing/],
    [{ input: { program: BELL, shots: 0.5 } }, /"shots" must be/],
    [{ input: { program: BELL, shots: 10_000_000 } }, /"shots" must be a whole number from 1 to/],
    [{ input: { program: BELL, seed: -1 } }, /"seed" must be/],
    [{ input: { operation: 'poll' } }, /"job" must be the job that submit returned/],
    [{ input: { operation: 'fetch', job: { id: 'x' } } }, /"job" must be/],
    [{ input: { program: 'ry({theta}) q[0];' } }, /"parameters.theta" must be a number/],
    [{ input: { operation: 'cancel', program: BELL } }, /"operation" must be one of/],
  ],
  slow: { input: { operation: 'run', program: WIDE } },
});

describe('counts', () => {
  it.each([
    ['x q[0];', { '01': 1 }],
    ['x q[0]; swap q[0],q[1];', { '10': 1 }],
    ['h q[0]; h q[0];', { '00': 1 }],
    ['h q[0]; z q[0]; h q[0];', { '01': 1 }],
    ['sx q[0]; sx q[0];', { '01': 1 }],
    ['s q[0]; sdg q[0]; t q[0]; tdg q[0]; y q[1];', { '10': 1 }],
    ['x q[0]; cx q[0],q[1]; reset q[0];', { '10': 1 }],
    ['x q; cz q[0],q[1]; rx(pi) q[0]; ry(-pi) q[1];', { '00': 1 }],
    ['u3(pi,0,pi) q[0]; u2(0,pi) q[1]; u2(0,pi) q[1];', { '01': 1 }],
    ['h q[1]; cu1(pi) q[0],q[1]; crz(2*pi) q[0],q[1]; h q[1];', { '00': 1 }],
    // Controlled by a qubit that is set, a full turn about Z is a sign: the phase counts.
    ['x q[0]; h q[1]; rz(1.3) q[1]; rz(-1.3) q[1]; h q[1];', { '01': 1 }],
    ['h q[0]; x q[1]; crz(2*pi) q[0],q[1]; h q[0];', { '11': 1 }],
    ['gate both(a) x,y { ry(a) x; ry(2*a/2) y; } both(pi) q[0],q[1];', { '11': 1 }],
    ['x q[0]; measure q -> c; if (c==1) x q[1]; if (c==0) x q[0];', { '11': 1 }],
    ['rxx(pi) q[0],q[1]; rzz(0.3) q[0],q[1];', { '11': 1 }],
    ['ry(-(pi^2/pi)+sin(0)*cos(0)) q[0]; barrier q;', { '01': 1 }],
  ])('of %s', async (body, expected) => {
    const counts = await countsOf(`${HEAD}qreg q[2]; creg c[2]; ${body} measure q -> c;`, { shots: 50 });
    expect(counts).toEqual(Object.fromEntries(Object.entries(expected).map(([word]) => [word, 50])));
  });

  it('of entangled qubits agree, and are close to theory', async () => {
    const counts = await countsOf(BELL, { shots: 10_000, seed: 7 });
    expect(Object.keys(counts).sort()).toEqual(['00', '11']);
    expect(Math.abs(counts['00']! - 5000)).toBeLessThan(250);
    const biased = await countsOf(`${HEAD}qreg q[1]; creg c[1]; ry(2*pi/3) q[0]; measure q -> c;`, {
      shots: 10_000,
    });
    // sin²(π/3) = 3/4.
    expect(Math.abs(biased['1']! - 7500)).toBeLessThan(250);
  });

  it('are equal for equal seeds, and differ for others', async () => {
    const of = (seed: number) =>
      countsOf(WIDE.replaceAll('h q;\n'.repeat(150), 'h q;\n'), { seed, shots: 100 });
    expect(await of(1)).toEqual(await of(1));
    expect(await of(1)).not.toEqual(await of(2));
  });

  it('list the last register first', async () => {
    const program = `${HEAD}qreg q[3]; creg a[1]; creg b[2]; x q[0]; x q[2]; measure q[0] -> a[0]; measure q[1] -> b[0]; measure q[2] -> b[1];`;
    expect(await countsOf(program, { shots: 1 })).toEqual({ '10 1': 1 });
  });

  /** Unitary gates preserve lengths, so every circuit of them followed by its inverse measures zero. */
  it('of a circuit and its inverse are those of an empty circuit', async () => {
    const angle = fc.double({ min: -7, max: 7, noNaN: true });
    const gate = fc.oneof(
      fc
        .tuple(fc.constantFrom('rx', 'ry', 'rz', 'p'), angle, fc.nat(3))
        .map(([name, a, q]) => [`${name}(${a}) q[${q}];`, `${name}(${-a}) q[${q}];`]),
      fc
        .tuple(fc.constantFrom('h', 'x', 'y', 'z'), fc.nat(3))
        .map(([name, q]) => [`${name} q[${q}];`, `${name} q[${q}];`]),
      fc
        .tuple(fc.constantFrom('cx', 'cz', 'swap'), fc.nat(2))
        .map(([name, q]) => [`${name} q[${q}],q[3];`, `${name} q[${q}],q[3];`]),
    );
    const law = fc.asyncProperty(fc.array(gate, { maxLength: 20 }), async (gates) => {
      const body = [...gates.map(([there]) => there), ...gates.toReversed().map(([, back]) => back)].join(
        '\n',
      );
      const counts = await countsOf(`${HEAD}qreg q[4]; creg c[4];\n${body}\nmeasure q -> c;`, { shots: 20 });
      expect(counts).toEqual({ '0000': 20 });
    });
    await fc.assert(law, { numRuns: 50 });
  });
});

describe('programs', () => {
  it('whose size doubles but that do nothing are refused', async () => {
    const twice = Array.from({ length: 21 }, (_, at) => `gate g${at + 1} a { g${at} a; g${at} a; }`);
    const program = `${HEAD}gate g0 a { }\n${twice.join('\n')}\nqreg q[1];\ng21 q[0];`;
    expect((await run({ program })).error).toMatchObject({
      kind: 'parse',
      message: expect.stringMatching(/line 26: .*operations/) as unknown,
    });
  });
});

describe('numbers', () => {
  const long = (operand: string, sign: string, length: number) => Array(length).fill(operand).join(sign);

  it.each([[`pi${long('+1-1', '', 30_000)}`], [`pi${'*2/2'.repeat(30_000)}`], ['8-4-4+2*pi/2']])(
    'of a long sum or product are evaluated from the left: case %#',
    async (number) => {
      const program = `${HEAD}qreg q[1]; creg c[1]; rx(${number}) q[0]; measure q -> c;`;
      expect(await countsOf(program, { shots: 10 })).toEqual({ '1': 10 });
    },
  );

  it('that repeatedly take too long are refused', async () => {
    const gate = `gate g(a) b { rx(${long('a', '+', 30_000)}) b; }`;
    const program = `${HEAD}${gate}\nqreg q[1];\n${'g(1) q[0];'.repeat(1000)}`;
    expect((await run({ program })).error).toMatchObject({
      kind: 'parse',
      message: expect.stringMatching(/line 5: .*numbers/) as unknown,
    });
  });
});

describe('jobs', () => {
  it('are submitted, queried and fetched; a fetch that is too early may be retried', async () => {
    const blobs = new MemoryBlobs();
    let at = 1000;
    const context = { blobs, now: () => at };
    const { result } = await run({ program: BELL, shots: 100, delay: 5 }, context);
    const { job } = result as { job: JsonObject };
    expect(result).toMatchObject({ status: 'queued', job: { shots: 100, qubits: 2, ready_at: 6000 } });
    expect((await run({ operation: 'poll', job }, context)).result).toMatchObject({ status: 'queued' });
    expect((await run({ operation: 'fetch', job }, context)).error).toMatchObject({
      code: 'not_ready',
      retryable: true,
    });
    at = 6000;
    expect((await run({ operation: 'poll', job: result! }, context)).result).toMatchObject({
      status: 'done',
    });
    const fetched = (await run({ operation: 'fetch', job, memory: true }, context)).result as JsonObject;
    expect(fetched).toMatchObject({ status: 'done', shots: 100, memory: { schema_hint: { length: 100 } } });
    expect(fetched.counts).toEqual(await countsOf(BELL, { shots: 100 }));
  });

  it('have their numbers inserted, including negative ones', async () => {
    const program = `${HEAD}qreg q[1]; creg c[1]; ry(pi-{theta}) q[0]; measure q -> c;`;
    const counts = await countsOf(program, { parameters: { theta: -Math.PI }, shots: 10 });
    expect(counts).toEqual({ '0': 10 });
  });
});

describe('programs that cannot be run', () => {
  it.each([
    ['qreg q[2];\nfoo q[0];', /line 2: there is no gate "foo"/],
    ['qreg q[1];\n\nh q[3];', /line 3: "q" has no \[3\]/],
    ['qreg q[21];', /line 1: more than 20 qubits/],
    ['qreg q[2]; cx q[0],q[0];', /needs different qubits/],
    ['qreg q[2]; rx q[0];', /"rx" takes 1 numbers and 1 qubits, got 0 and 1/],
    ['qreg q[1]; rx(theta) q[0];', /there is no number called "theta"/],
    ['qreg q[1]; rx(1/0) q[0];', /not finite/],
    ['gate g a { g a; } qreg q[1]; g q[0];', /the definition of the gate "g" contains itself/],
    ['include "/etc/passwd";', /cannot be included/],
    ['OPENQASM 3.0;', /use 2\.0/],
    ['qreg q[1]; h q[0]', /ends too early/],
    ['qreg q[1]; @', /"@" is not valid/],
    [`qreg q[1]; rx(${'('.repeat(5000)}1${')'.repeat(5000)}) q[0];`, /nests too deeply/],
    [
      `${'gate a0 q { x q; x q; }\n'}${Array.from({ length: 40 }, (_, n) => `gate a${n + 1} q { a${n} q; a${n} q; }`).join('\n')}\nqreg q[1]; a40 q[0];`,
      /more than 100000 operations/,
    ],
  ])('say why: case %#', async (program, message) => {
    const { error } = await run({ program });
    expect(error).toMatchObject({ kind: 'parse', retryable: false });
    expect(error?.message).toMatch(message);
  });

  it('answer any text with an outcome', async () => {
    const words = [
      'qreg q[2];',
      'creg c[2];',
      'h q;',
      'measure q->c;',
      'if(c==1)',
      'gate g(a) b {',
      '}',
      'x q[0];',
      '(',
      'pi',
      '"',
    ];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join(' '));
    const check = fc.asyncProperty(fc.oneof(text, fc.string()), async (program) => {
      const { error } = await run({ operation: 'run', program, shots: 2 });
      if (error) expect(error.kind).toMatch(/parse|schema/);
    });
    await fc.assert(check, { numRuns: 200 });
  });
});
