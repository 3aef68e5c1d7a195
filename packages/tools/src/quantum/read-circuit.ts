/**
 * An OpenQASM 2.0 program as a list of operations, in order: gates are decomposed into matrices.
 *
 * Bounded: qubits, bits, and operations, so that no program can take more than its share.
 */
import { COMPOSED, type Matrix, SIMPLE } from './gates.ts';
import { type Expression, readExpression, type Values } from './qasm-expression.ts';
import { QasmFault, qasmTokens } from './qasm-tokens.ts';
import { TokenReader } from './token-reader.ts';

export type Operation = (
  | { do: 'gate'; matrix: Matrix; controls: number[]; target: number }
  | { do: 'measure'; qubit: number; bit: number }
  | { do: 'reset'; qubit: number }
) & { when?: { bits: number[]; value: number } };

export interface Circuit {
  qubits: number;
  /** Registers in order of declaration; the last one comes first in a word of bits. */
  registers: { name: string; bits: number[] }[];
  operations: Operation[];
}

export const MOST_QUBITS = 20;
const MOST_BITS = 64;
const MOST_OPERATIONS = 100_000;
const MOST_APPLIED = 10 * MOST_OPERATIONS;
/** How many tokens of parameters may be evaluated, counted every time that gates are decomposed. */
const MOST_WORKED_OUT = 200 * MOST_OPERATIONS;

interface Gate {
  parameters: string[];
  qubits: string[];
  body: { name: string; parameters: Expression[]; qubits: string[]; line: number }[];
}

export function readCircuit(text: string): Circuit {
  return new CircuitReader(new TokenReader(qasmTokens(text))).read();
}

class CircuitReader {
  private readonly quantum = new Map<string, number[]>();
  private readonly classical = new Map<string, number[]>();
  private readonly gates = new Map<string, Gate>();
  private readonly operations: Operation[] = [];
  private condition: { bits: number[]; value: number } | undefined;
  private qubits = 0;
  private bits = 0;
  /** Decomposed gates, including those that do nothing. */
  private applied = 0;
  private workedOut = 0;

  constructor(private reader: TokenReader) {}

  read(): Circuit {
    const own = this.reader;
    this.reader = new TokenReader(qasmTokens(COMPOSED));
    while (!this.reader.isAtEnd) this.statement();
    this.reader = own;
    while (!this.reader.isAtEnd) this.statement();
    const registers = [...this.classical].map(([name, bits]) => ({ name, bits }));
    return { qubits: this.qubits, registers, operations: this.operations };
  }

  private statement(): void {
    const { reader } = this;
    const { line } = reader;
    const word = reader.name();
    if (word === 'OPENQASM') this.version();
    else if (word === 'include') this.include();
    else if (word === 'qreg' || word === 'creg') this.register(word, line);
    else if (word === 'gate') this.define();
    else if (word === 'if') this.conditional();
    else if (word === 'opaque') throw new QasmFault('a simulator cannot run opaque gates', line);
    else {
      this.operation(word, line);
      this.condition = undefined;
    }
  }

  private version(): void {
    const { text, line } = this.reader.next();
    if (Number(text) !== 2) throw new QasmFault(`OPENQASM ${text} is not supported; use 2.0`, line);
    this.reader.expect(';');
  }

  private include(): void {
    const { text, line } = this.reader.next();
    if (text !== '"qelib1.inc"')
      throw new QasmFault(`${text} cannot be included; only "qelib1.inc" can`, line);
    this.reader.expect(';');
  }

  private register(word: string, line: number): void {
    const { reader } = this;
    const name = reader.name();
    reader.expect('[');
    const size = reader.count();
    reader.expect(']');
    reader.expect(';');
    if (this.quantum.has(name) || this.classical.has(name))
      throw new QasmFault(`"${name}" is declared twice`, line);
    const [known, from, most] =
      word === 'qreg' ? [this.quantum, this.qubits, MOST_QUBITS] : [this.classical, this.bits, MOST_BITS];
    if (from + size > most)
      throw new QasmFault(
        `more than ${most} ${word === 'qreg' ? 'qubits' : 'bits'}, which is the limit`,
        line,
      );
    known.set(
      name,
      Array.from({ length: size }, (_, index) => from + index),
    );
    if (word === 'qreg') this.qubits += size;
    else this.bits += size;
  }

  private define(): void {
    const { reader } = this;
    const name = reader.name();
    const parameters = reader.takeOneOf('(') === undefined ? [] : this.names(')');
    const qubits = this.names('{');
    const body: Gate['body'] = [];
    while (reader.takeOneOf('}') === undefined) {
      const { line } = reader;
      const inner = reader.name();
      const numbers = this.numbers();
      const on = this.names(';');
      if (inner !== 'barrier') body.push({ name: inner, parameters: numbers, qubits: on, line });
    }
    this.gates.set(name, { parameters, qubits, body });
  }

  /** Reads up to and including `end`. */
  private names(end: string): string[] {
    if (this.reader.takeOneOf(end) !== undefined) return [];
    const names = this.reader.list(() => this.reader.name());
    this.reader.expect(end);
    return names;
  }

  private numbers(): Expression[] {
    if (this.reader.takeOneOf('(') === undefined) return [];
    if (this.reader.takeOneOf(')') !== undefined) return [];
    const numbers = this.reader.list(() => readExpression(this.reader));
    this.reader.expect(')');
    return numbers;
  }

  private evaluated(expressions: Expression[], values: Values, line: number): number[] {
    for (const { size } of expressions) this.workedOut += size;
    if (this.workedOut > MOST_WORKED_OUT)
      throw new QasmFault('computing the numbers of its gates takes too long', line);
    return expressions.map(({ of }) => of(values));
  }

  private conditional(): void {
    const { reader } = this;
    reader.expect('(');
    const { line } = reader;
    const bits = this.classical.get(reader.name());
    if (!bits) throw new QasmFault('if must compare a creg with a number', line);
    reader.expect('==');
    const value = reader.count();
    reader.expect(')');
    this.condition = { bits, value };
  }

  private operation(word: string, line: number): void {
    const { reader } = this;
    if (word === 'measure') {
      const from = this.operand(this.quantum);
      reader.expect('->');
      const to = this.operand(this.classical);
      reader.expect(';');
      if (from.length !== to.length) throw new QasmFault('measure needs as many bits as qubits', line);
      for (const [index, qubit] of from.entries()) this.add({ do: 'measure', qubit, bit: to[index]! }, line);
      return;
    }
    const numbers = this.evaluated(this.numbers(), new Map(), line);
    const operands = reader.list(() => this.operand(this.quantum));
    reader.expect(';');
    if (word === 'barrier') return;
    if (word === 'reset') {
      for (const qubit of operands.flat()) this.add({ do: 'reset', qubit }, line);
      return;
    }
    for (const qubits of broadcast(operands, line)) this.apply(word, numbers, qubits, line, 0);
  }

  private operand(known: Map<string, number[]>): number[] {
    const { reader } = this;
    const { line } = reader;
    const name = reader.name();
    const all = known.get(name);
    if (!all) throw new QasmFault(`there is no register "${name}" here`, line);
    if (reader.takeOneOf('[') === undefined) return all;
    const index = reader.count();
    reader.expect(']');
    if (all[index] === undefined) throw new QasmFault(`"${name}" has no [${index}]`, line);
    return [all[index]];
  }

  private apply(name: string, numbers: number[], qubits: number[], line: number, depth: number): void {
    this.applied += 1;
    if (this.applied > MOST_APPLIED)
      throw new QasmFault(`there are more than ${MOST_APPLIED} operations`, line);
    if (depth > 50) throw new QasmFault(`the definition of the gate "${name}" contains itself`, line);
    if (new Set(qubits).size < qubits.length) throw new QasmFault(`"${name}" needs different qubits`, line);
    const gate = this.gates.get(name);
    const simple = gate === undefined && Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
    const wants = gate
      ? [gate.parameters.length, gate.qubits.length]
      : simple && [simple.parameters, simple.controls + 1];
    if (!wants) throw new QasmFault(`there is no gate "${name}"`, line);
    if (numbers.length !== wants[0] || qubits.length !== wants[1])
      throw new QasmFault(
        `"${name}" takes ${wants[0]} numbers and ${wants[1]} qubits, got ${numbers.length} and ${qubits.length}`,
        line,
      );
    if (simple) {
      if (numbers.some((each) => !Number.isFinite(each)))
        throw new QasmFault(`a number of "${name}" is not finite`, line);
      const controls = qubits.slice(0, simple.controls);
      this.add({ do: 'gate', matrix: simple.matrix(...numbers), controls, target: qubits.at(-1)! }, line);
      return;
    }
    const values: Values = new Map(gate!.parameters.map((each, index) => [each, numbers[index]!]));
    const places = new Map(gate!.qubits.map((each, index) => [each, qubits[index]!]));
    for (const inner of gate!.body) {
      const on = inner.qubits.map((each) => {
        const place = places.get(each);
        if (place === undefined) throw new QasmFault(`the gate "${name}" has no qubit "${each}"`, inner.line);
        return place;
      });
      this.apply(inner.name, this.evaluated(inner.parameters, values, line), on, line, depth + 1);
    }
  }

  private add(operation: Operation, line: number): void {
    if (this.operations.length >= MOST_OPERATIONS)
      throw new QasmFault(`there are more than ${MOST_OPERATIONS} operations`, line);
    this.operations.push(this.condition ? { ...operation, when: this.condition } : operation);
  }
}

/** A gate on registers applies to each of their qubits. A single qubit is combined with all of them. */
function broadcast(operands: number[][], line: number): number[][] {
  const lengths = new Set(operands.map((each) => each.length).filter((length) => length !== 1));
  if (lengths.size > 1) throw new QasmFault('the registers of a gate must have equal lengths', line);
  const [length = 1] = lengths;
  return Array.from({ length }, (_, index) => operands.map((each) => each[each.length === 1 ? 0 : index]!));
}
