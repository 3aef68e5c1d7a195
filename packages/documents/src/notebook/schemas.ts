/**
 * JSON Schemas of the header, of a cell's tokens as `toJsonForm` types them, and of that form as a whole, for editors
 * and agents. `docs/schemas/` holds them as files; a test keeps both the same.
 */
import { CELL_TYPES } from '@woof/net';
import { schedulesSchema } from '../schedules/schema.ts';
import { CACHES, EFFECTS, ORDERS } from './vocabulary.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string' } as const;
const map = { type: 'object' } as const;
const flag = { type: 'boolean', default: false } as const;
const positive = { type: 'integer', minimum: 1 } as const;
const words = { type: 'array', items: text } as const;

export const notebookHeaderSchema = {
  $schema: DRAFT,
  $id: 'urn:woof:notebook:1.0:header',
  title: 'Header of a WOOF notebook',
  type: 'object',
  required: ['name', 'language'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'A name for readers.' },
    language: { type: 'string', minLength: 1, description: 'The language of code and test cells.' },
    env: {
      type: 'object',
      description: 'The environment in which the cells run.',
      properties: {
        python: text,
        requirements: words,
        container: { type: 'object', properties: { image: text } },
      },
    },
    parameters: { ...map, description: 'Bound in every language as `parameters`.' },
    defaults: { type: 'object', properties: { timeout_sec: positive, memory_mb: positive } },
    execution: {
      type: 'object',
      properties: {
        order: { enum: ORDERS, default: 'linear' },
        cache: { enum: CACHES, default: 'none' },
      },
    },
    io_policy: {
      type: 'object',
      description: 'What cells may do, if they also declare it in `sidefx`.',
      properties: { allow_files: flag, allow_network: flag, allow_shell: flag },
    },
    provenance: {
      type: 'object',
      properties: { created_by: text, created_at: text, agent: text, source_repo: text, commit: text },
    },
    metadata: {
      ...map,
      description: 'Data for tools.',
      properties: {
        path: { type: 'string', description: 'The name of the notebook on servers, such as sales/report.' },
        schedules: { $ref: schedulesSchema.$id },
      },
    },
    tags: words,
    version: { type: 'string', description: 'The version of the notebook itself.' },
  },
  patternProperties: { '^x-': {} },
} as const;

export const notebookCellSchema = {
  $schema: DRAFT,
  $id: 'urn:woof:notebook:1.0:cell',
  title: 'Tokens of a cell of a WOOF notebook',
  type: 'object',
  required: ['id', 'type'],
  properties: {
    id: { type: 'string', pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]+$' },
    type: { enum: CELL_TYPES },
    name: text,
    deps: { ...words, description: 'Ids of the cells that this cell depends on.' },
    timeout: { ...positive, description: 'Seconds.' },
    memory_mb: positive,
    sidefx: {
      type: 'string',
      pattern: `^(${EFFECTS.join('|')})(,(${EFFECTS.join('|')}))*$`,
      description: 'Effects that the cell declares.',
    },
    tags: words,
    retries: { type: 'integer', minimum: 0 },
    priority: {
      type: 'integer',
      description: 'If several cells could run next, the one with the higher priority runs first.',
    },
    disabled: flag,
    lang: { type: 'string', minLength: 1 },
    kernel: { type: 'string', minLength: 1, description: 'An installed Jupyter kernel.' },
    body: text,
  },
  patternProperties: { '^x-': text },
} as const;

/** The specification's §9, as `woof export --json` writes it. */
export const notebookSchema = {
  $schema: DRAFT,
  $id: 'urn:woof:notebook:1.0',
  title: 'A WOOF notebook as JSON',
  type: 'object',
  required: ['file', 'version', 'header', 'cells'],
  properties: {
    file: { const: 'WOOFNB' },
    version: { type: 'string', pattern: '^1\\.\\d+$' },
    header: { $ref: notebookHeaderSchema.$id },
    cells: { type: 'array', items: { $ref: notebookCellSchema.$id } },
  },
} as const;
