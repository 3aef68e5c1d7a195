/**
 * The document of an execution, as it was when the execution started.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import { basename } from 'node:path';
import { failurePlace, stepLines } from '@woof/documents/places';
import { sourceOf } from '@woof/engine';
import { Problem } from '@woof/protocol';
import { BlobError, type BlobStore, referenceTo } from '@woof/stores';
import type { Parts } from '../parts.ts';
import { rowOf, stateOf } from './execution-of.ts';

export async function sourceOfRun(parts: Parts, id: string) {
  const row = await rowOf(parts, id);
  const text = await keptText(parts, id);
  const state = await stateOf(parts, id);
  const error = failurePlace(state);
  return {
    ...(row.file === undefined ? {} : { file: basename(row.file) }),
    text,
    language: state.plan.kind === 'notebook' ? ('woofnb' as const) : ('yaml' as const),
    steps: stepLines(text, state.plan),
    ...(error ? { error } : {}),
  };
}

async function keptText({ store, blobs }: Parts, id: string): Promise<string> {
  const { document } = await sourceOf(store, id);
  const text = document === undefined ? undefined : await documentText(blobs, document);
  if (text !== undefined) return text;
  const why =
    document === undefined ? 'the Woof that started it did not store documents' : 'it is no longer stored';
  throw new Problem('not-found', `the document of execution ${id} was not kept: ${why}`);
}

/** Undefined if it is not stored. */
export async function documentText(blobs: BlobStore, digest: string): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of blobs.get(referenceTo(digest, 0, null))) pieces.push(piece);
  } catch (error) {
    if (error instanceof BlobError && error.fault === 'missing') return undefined;
    throw error;
  }
  return Buffer.concat(pieces).toString('utf8');
}
