/**
 * The tool kinds, one row per kind: its schema, its tool and its manual.
 *
 * Invariant: importing this file loads only schemas and the trivial kinds. A kind that needs undici, Python or the
 * sandbox has a `load`, which runs at its first task, so that start-up stays fast.
 */
import type { ToolSchema } from '@woof/net';
import type { Rules } from '@woof/policy';
import { artifactSchema } from './artifact/artifact-schema.ts';
import { containerSchema } from './container/container-schema.ts';
import { duckdbSchema } from './duckdb/duckdb-schema.ts';
import { execSchema } from './exec/exec-schema.ts';
import { gateSchema } from './gate/gate-schema.ts';
import { gateTool } from './gate/gate-tool.ts';
import { graphqlSchema } from './graphql/graphql-schema.ts';
import { httpSchema } from './http/http-schema.ts';
import { lazyTool } from './lazy-tool.ts';
import { llmSchema } from './llm/llm-schema.ts';
import { natsSchema } from './nats/nats-schema.ts';
import { noopSchema } from './noop/noop-schema.ts';
import { noopTool } from './noop/noop-tool.ts';
import { playbookSchema } from './playbook/playbook-schema.ts';
import { postgresSchema } from './postgres/postgres-schema.ts';
import { pythonSchema } from './python/python-schema.ts';
import { quantumSchema } from './quantum/quantum-schema.ts';
import { rSchema } from './r/r-schema.ts';
import { s3Schema } from './s3/s3-schema.ts';
import { secretsSchema } from './secrets/secrets-schema.ts';
import { secretsTool } from './secrets/secrets-tool.ts';
import { shellSchema } from './shell/shell-schema.ts';
import type { Tool } from './tool.ts';
import type { ToolManual } from './tool-manual.ts';
import { transferSchema } from './transfer/transfer-schema.ts';
import { waitSchema } from './wait/wait-schema.ts';
import { waitTool } from './wait/wait-tool.ts';
import { workbookSchema } from './workbook/workbook-schema.ts';

export interface ToolOptions {
  /** The Python interpreter; by default, the best one on the machine. */
  python?: string;
  /** How many tasks of one kind run processes at the same time; by default, a little more than the number of cores. */
  maxRunning?: number;
  /** Where bundles of exec blocks are stored. Without it, this worker runs no exec blocks. */
  runs?: string;
  /** The worker's id, for manifests. */
  worker?: string;
  /** The rules for exec blocks, read at the first block; the built-in ones by default. */
  rules?: () => Promise<Rules | undefined>;
}

interface ToolKind {
  schema: ToolSchema;
  /** A tool that costs nothing to load. */
  create?: () => Tool;
  /** A tool that its first task loads. A kind with neither is performed by the worker itself. */
  load?: (options: ToolOptions) => Promise<Tool>;
  /** What its page says besides its fields. */
  manual?: () => Promise<ToolManual>;
  /** Only for workflow stages: its fields are not templates. */
  stages?: true;
}

const kinds: ToolKind[] = [
  {
    schema: noopSchema,
    create: () => noopTool,
    manual: async () => (await import('./noop/noop-manual.ts')).noopManual,
  },
  {
    schema: waitSchema,
    create: () => waitTool,
    manual: async () => (await import('./wait/wait-manual.ts')).waitManual,
  },
  {
    schema: secretsSchema,
    create: () => secretsTool,
    manual: async () => (await import('./secrets/secrets-manual.ts')).secretsManual,
  },
  {
    schema: artifactSchema,
    load: async () => (await import('./artifact/artifact-tool.ts')).createArtifactTool(),
    manual: async () => (await import('./artifact/artifact-manual.ts')).artifactManual,
  },
  {
    schema: httpSchema,
    load: async () => (await import('./http/http-tool.ts')).createHttpTool(),
    manual: async () => (await import('./http/http-manual.ts')).httpManual,
  },
  {
    schema: graphqlSchema,
    load: async () => (await import('./graphql/graphql-tool.ts')).createGraphqlTool(),
    manual: async () => (await import('./graphql/graphql-manual.ts')).graphqlManual,
  },
  {
    schema: llmSchema,
    load: async () => (await import('./llm/llm-tool.ts')).createLlmTool(),
    manual: async () => (await import('./llm/llm-manual.ts')).llmManual,
  },
  {
    schema: containerSchema,
    load: async (options) => (await import('./container/container-tool.ts')).createContainerTool(options),
    manual: async () => (await import('./container/container-manual.ts')).containerManual,
  },
  {
    schema: duckdbSchema,
    load: async (options) => (await import('./duckdb/duckdb-tool.ts')).createDuckdbTool(options),
    manual: async () => (await import('./duckdb/duckdb-manual.ts')).duckdbManual,
  },
  {
    schema: postgresSchema,
    load: async () => (await import('./postgres/postgres-tool.ts')).createPostgresTool(),
    manual: async () => (await import('./postgres/postgres-manual.ts')).postgresManual,
  },
  {
    schema: natsSchema,
    load: async () => (await import('./nats/nats-tool.ts')).createNatsTool(),
    manual: async () => (await import('./nats/nats-manual.ts')).natsManual,
  },
  {
    schema: quantumSchema,
    load: async () => (await import('./quantum/quantum-tool.ts')).createQuantumTool(),
    manual: async () => (await import('./quantum/quantum-manual.ts')).quantumManual,
  },
  {
    schema: s3Schema,
    load: async () => (await import('./s3/s3-tool.ts')).createS3Tool(),
    manual: async () => (await import('./s3/s3-manual.ts')).s3Manual,
  },
  {
    schema: transferSchema,
    load: async () => (await import('./transfer/transfer-tool.ts')).createTransferTool(),
    manual: async () => (await import('./transfer/transfer-manual.ts')).transferManual,
  },
  {
    schema: pythonSchema,
    load: async (options) => (await import('./python/python-tool.ts')).createPythonTool(options),
    manual: async () => (await import('./python/python-manual.ts')).pythonManual,
  },
  {
    schema: rSchema,
    load: async (options) => (await import('./r/r-tool.ts')).createRTool(options),
    manual: async () => (await import('./r/r-manual.ts')).rManual,
  },
  {
    schema: shellSchema,
    load: async (options) => (await import('./shell/shell-tool.ts')).createShellTool(options),
    manual: async () => (await import('./shell/shell-manual.ts')).shellManual,
  },
  {
    schema: gateSchema,
    create: () => gateTool,
    manual: async () => (await import('./gate/gate-manual.ts')).gateManual,
  },
  {
    schema: execSchema,
    load: async (options) => (await import('./exec/exec-tool.ts')).createExecTool(options),
    stages: true,
  },
  {
    schema: playbookSchema,
    manual: async () => (await import('./playbook/playbook-manual.ts')).playbookManual,
  },
  {
    schema: workbookSchema,
    manual: async () => (await import('./workbook/workbook-manual.ts')).workbookManual,
  },
];

/** The kinds that a playbook can name. */
export const toolSchemas: ToolSchema[] = kinds.filter(({ stages }) => !stages).map(({ schema }) => schema);

/** The kinds that the worker itself performs. */
export const workerSchemas: ToolSchema[] = kinds
  .filter(({ create, load }) => !create && !load)
  .map(({ schema }) => schema);

export function createTools(options: ToolOptions = {}): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const { schema, create, load } of kinds) {
    if (create) tools.set(schema.kind, create());
    if (load)
      tools.set(
        schema.kind,
        lazyTool(schema, () => load(options)),
      );
  }
  return tools;
}

export async function manualOf(kind: string): Promise<ToolManual | undefined> {
  return kinds.find(({ schema }) => schema.kind === kind)?.manual?.();
}
