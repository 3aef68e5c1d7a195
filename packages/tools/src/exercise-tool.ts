/**
 * The contract suite that every kind runs. Test-only.
 *
 * It requires of every tool: All outcomes have the same shape. Bad input gives a `schema` error that names the field,
 * and never throws. An aborted signal soon ends a running task, as `cancelled` or `timeout`, and so does its own
 * timeout. What is too large, or what the policy does not allow, is refused. A request repeated under one key happens
 * once. No secret is shown.
 */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { decodeJson, encodeJson, type Json, type JsonObject, type Outcome, type Reference } from '@woof/net';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Blobs, Parked, Tool, ToolCall, ToolContext } from './tool.ts';

export interface ToolExercise {
  make(): Tool | Promise<Tool>;
  /** Calls that succeed, or park. */
  good: Partial<ToolCall>[];
  /** Invalid calls, each with what the message must name. */
  bad: [call: Partial<ToolCall>, named: RegExp][];
  /** Calls that fail with `CANARY` among their secrets. No outcome may show it. */
  secret?: Partial<ToolCall>[];
  /** A call that would run for long. Absent if the kind always finishes at once. */
  slow?: Partial<ToolCall>;
  /** The slow call is ended by a field of the kind and not by `spec.timeout`. */
  timedElsewhere?: true;
  /** Calls whose result exceeds the limit that they set. */
  large?: Partial<ToolCall>[];
  /** Calls that lack this permission of `io_policy`. */
  forbidden?: [call: Partial<ToolCall>, permission: string][];
  /** A call with an effect, and how often that effect has happened. */
  once?: { call: Partial<ToolCall>; effects: () => Promise<number> };
}

/** Used in place of a password or token. */
export const CANARY = 'canary-5f2c-s3cret';

export function exerciseTool(kind: string, exercise: ToolExercise): void {
  describe(`the tool contract: ${kind}`, () => {
    const tool = Promise.resolve(exercise.make());
    afterAll(async () => (await tool).close?.());
    const run = async (call: Partial<ToolCall>, context: Partial<ToolContext> = {}) =>
      (await tool).run(toolCall(call), toolContext(context));

    it('declares a schema with a doc for every field', async () => {
      const { schema } = await tool;
      expect(schema.kind).toBe(kind);
      expect(schema.summary).not.toBe('');
      for (const field of Object.values(schema.fields)) expect(field.doc).not.toBe('');
      for (const name of schema.needs?.flat() ?? []) expect(schema.fields).toHaveProperty(name);
    });

    it.each(exercise.good.map((call) => [JSON.stringify(call.input).slice(0, 60), call]))(
      'returns a well-formed outcome for %s',
      async (_title, call) => {
        const outcome = await run(call as Partial<ToolCall>);
        expect(outcome.status, JSON.stringify(outcome)).toMatch(/^(ok|parked)$/);
        expectShape(outcome);
      },
    );

    it.each(exercise.bad.map(([call, named]) => [JSON.stringify(call.input).slice(0, 60), call, named]))(
      'refuses %s and says why',
      async (_title, call, named) => {
        const outcome = await run(call as Partial<ToolCall>);
        expectShape(outcome);
        expect(outcome).toMatchObject({ status: 'error', error: { kind: 'schema', retryable: false } });
        expect((outcome as Outcome).error?.message).toMatch(named as RegExp);
      },
    );

    it('answers any input at all with an outcome', async () => {
      const { fields } = (await tool).schema;
      const input = fc.dictionary(fc.constantFrom(...Object.keys(fields)), fc.jsonValue({ maxDepth: 2 }));
      const check = fc.asyncProperty(input, async (wild) => {
        // As read from a document: integers that a number cannot represent exactly have another type.
        expectShape(await run({ input: decodeJson<JsonObject>(JSON.stringify(wild)) }));
      });
      await fc.assert(check, { numRuns: 50 });
    });

    it.each((exercise.secret ?? []).map((call) => [call]))(
      'shows no secret, plain or encoded: case %#',
      async (call) => {
        const logged: string[] = [];
        const outcome = await run(call, { log: (_stream, text) => void logged.push(text) });
        expectShape(outcome);
        expect(outcome.status).toBe('error');
        const shown = JSON.stringify(outcome) + logged.join('');
        for (const form of [
          CANARY,
          Buffer.from(CANARY).toString('base64').slice(0, 20),
          encodeURIComponent(CANARY),
        ]) {
          expect(shown).not.toContain(form);
        }
      },
    );

    it.each((exercise.large ?? []).map((call) => [call]))(
      'refuses what is over its limit: case %#',
      async (call) => {
        const outcome = await run(call);
        expectShape(outcome);
        expect(outcome).toMatchObject({
          status: 'error',
          error: { kind: 'storage', code: 'too_large', retryable: false },
        });
      },
    );

    it.each(exercise.forbidden ?? [])(
      'needs a permission, and says which: case %#',
      async (call, permission) => {
        const outcome = await run(call);
        expectShape(outcome);
        expect(outcome).toMatchObject({ status: 'error', error: { kind: 'policy', retryable: false } });
        expect((outcome as Outcome).error?.message).toContain(permission);
      },
    );

    const { once } = exercise;
    if (once) {
      it('performs once what is requested twice under one key', async () => {
        const call = { ...once.call, idempotencyKey: 'x9/s1/-/once/1', visitKey: 'x9/s1/-/once' };
        for (let n = 0; n < 2; n++) expect(await run(call)).toMatchObject({ status: 'ok' });
        expect(await once.effects()).toBe(1);
      });
    }

    const { slow, timedElsewhere } = exercise;
    if (!slow) return;

    if (!timedElsewhere) {
      it('ends when spec.timeout is over', async () => {
        const outcome = await run({ ...slow, spec: { ...slow.spec, timeout: 0.2 } });
        expectShape(outcome);
        expect(outcome).toMatchObject({
          status: 'error',
          error: { kind: expect.stringMatching(/timeout$/) },
        });
      });
    }

    it('does not start if it is already aborted', async () => {
      const outcome = await run(slow, { signal: AbortSignal.abort() });
      expect(outcome).toMatchObject({ status: 'error', error: { kind: 'cancelled' } });
    });

    it('stops when its signal aborts, and says whether it was a timeout', async () => {
      for (const [reason, named] of [
        [new Error('the lease was lost'), 'cancelled'],
        [new DOMException('too late', 'TimeoutError'), 'timeout'],
      ] as const) {
        const controller = new AbortController();
        const running = run(slow, { signal: controller.signal });
        setTimeout(() => controller.abort(reason), 200);
        expect(await running).toMatchObject({ status: 'error', error: { kind: named } });
      }
    });
  });
}

function expectShape(outcome: Outcome | Parked): void {
  expect(decodeJson(encodeJson(outcome))).toEqual(outcome);
  if (outcome.status === 'parked') {
    expect(outcome.memo).toBeDefined();
    expect(outcome.until ?? outcome.child ?? outcome.human).toBeDefined();
  } else if (outcome.status === 'ok') {
    expect(outcome.result).toBeDefined();
    expect(outcome.error).toBeUndefined();
  } else {
    expect(outcome.error?.message).not.toBe('');
    expect(typeof outcome.error?.retryable).toBe('boolean');
  }
}

export function toolCall(call: Partial<ToolCall>): ToolCall {
  return {
    input: {},
    spec: {},
    idempotencyKey: 'x1/s1/-/t1/1',
    visitKey: 'x1/s1/-/t1',
    executionId: 'x1',
    step: 's1',
    fence: 1,
    attempt: 1,
    lost: 0,
    workdir: tmpdir(),
    ...call,
  };
}

export function toolContext(context: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    blobs: new MemoryBlobs(),
    now: () => Date.now(),
    log: () => undefined,
    granted: { allow_files: false, allow_network: false, allow_shell: false },
    sandbox: true,
    ...context,
  };
}

export class MemoryBlobs implements Blobs {
  readonly #kept = new Map<string, Buffer>();

  async put(bytes: AsyncIterable<Uint8Array>, { hint }: { hint: Json }): Promise<Reference> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    const all = Buffer.concat(chunks);
    const hex = createHash('sha256').update(all).digest('hex');
    this.#kept.set(hex, all);
    return { store: 'memory', key: hex, checksum: `sha256:${hex}`, size: all.length, schema_hint: hint };
  }

  async *get({ key }: JsonObject): AsyncIterable<Uint8Array> {
    const bytes = this.#kept.get(String(key));
    if (!bytes) throw new Error('no such blob');
    yield bytes;
  }
}
