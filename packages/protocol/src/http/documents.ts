import { z } from 'zod';
import { BODY_LIMITS } from '../body-limits.ts';
import { diagnostic, fileName, limit, path } from './fields.ts';
import { schedule } from './schedules.ts';

const text = z.string().max(BODY_LIMITS.text);

const summary = z.object({
  path: z.string(),
  kind: z.string(),
  name: z.string(),
  version: z.string().describe('the hash of the newest version'),
  versions: z.number(),
  registered_at: z.number(),
});

export const documentCalls = {
  'documents.register': {
    method: 'POST',
    path: '/v1/documents',
    role: 'operator',
    status: 201,
    summary:
      'Checks a document, stores it under its path as a version named by its hash, and creates the schedules that it declares',
    query: z.strictObject({
      path: path.optional().describe('same as in the body; use it if the body is the document itself'),
    }),
    body: z.strictObject({
      text,
      file: fileName.optional(),
      path: path.optional().describe('used if the document has no metadata.path'),
    }),
    answer: summary.extend({
      diagnostics: z.array(diagnostic),
      schedules: z.array(schedule).describe('the schedules that it declares, in their current state'),
      removed_schedules: z.array(z.string()).describe('schedules that only an earlier version declared'),
    }),
  },
  'documents.list': {
    method: 'GET',
    path: '/v1/documents',
    role: 'viewer',
    summary: 'Lists registered documents',
    query: z.strictObject({
      prefix: z.string().max(300).optional(),
      after: z.string().max(300).optional(),
      limit: limit.optional(),
    }),
    answer: z.object({ documents: z.array(summary), next: z.string().optional() }),
  },
  'documents.get': {
    method: 'GET',
    path: '/v1/documents/:path',
    role: 'viewer',
    summary: 'Returns the newest or a given version of a document',
    query: z.strictObject({ version: z.string().max(64).optional() }),
    answer: summary.extend({
      text: z.string(),
      history: z.array(z.object({ version: z.string(), registered_at: z.number() })),
    }),
  },
  'documents.remove': {
    method: 'DELETE',
    path: '/v1/documents/:path',
    role: 'operator',
    status: 204,
    summary: 'Removes a document and the schedules that it declares; its executions are kept',
  },
  'documents.lint': {
    method: 'POST',
    path: '/v1/lint',
    role: 'viewer',
    silent: true,
    summary: 'Checks a document without storing it',
    body: z.strictObject({ text, file: fileName.optional() }),
    answer: z.object({ kind: z.string(), diagnostics: z.array(diagnostic) }),
  },
} as const;
