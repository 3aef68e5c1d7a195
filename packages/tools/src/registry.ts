/**
 * The tool kinds, one line each.
 *
 * Invariant: importing this file loads schemas and the trivial kinds only. A kind that needs undici, Python or the
 * sandbox names a `load`, which runs at its first task, so that start-up stays fast.
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
import { transferSchema } from './transfer/transfer-schema.ts';
import { waitSchema } from './wait/wait-schema.ts';
import { waitTool } from './wait/wait-tool.ts';
import { workbookSchema } from './workbook/workbook-schema.ts';

export interface ToolOptions {
  /** The Python interpreter; unless set, the best one of the machine. */
  python?: string;
  /** How many tasks of one kind run processes at the same time; unless set, a little more than there are cores. */
  maxRunning?: number;
  /** Where bundles of exec blocks go; without it this worker runs none. */
  runs?: string;
  /** The worker's id, for manifests. */
  worker?: string;
  /** The rules that exec blocks are judged by; read at the first block, the built-in ones unless set. */
  rules?: () => Promise<Rules | undefined>;
}

interface Kind {
  schema: ToolSchema;
  /** Absent where the worker itself performs the kind. */
  create?: (options: ToolOptions) => Tool;
  /** Only for stages of workflows: its fields are no templates. */
  stages?: true;
}

const kinds: Kind[] = [
  { schema: noopSchema, create: () => noopTool },
  { schema: waitSchema, create: () => waitTool },
  { schema: secretsSchema, create: () => secretsTool },
  lazy(artifactSchema, async () => (await import('./artifact/artifact-tool.ts')).createArtifactTool()),
  lazy(httpSchema, async () => (await import('./http/http-tool.ts')).createHttpTool()),
  lazy(graphqlSchema, async () => (await import('./graphql/graphql-tool.ts')).createGraphqlTool()),
  lazy(llmSchema, async () => (await import('./llm/llm-tool.ts')).createLlmTool()),
  lazy(containerSchema, async (options) =>
    (await import('./container/container-tool.ts')).createContainerTool(options),
  ),
  lazy(duckdbSchema, async (options) => (await import('./duckdb/duckdb-tool.ts')).createDuckdbTool(options)),
  lazy(postgresSchema, async () => (await import('./postgres/postgres-tool.ts')).createPostgresTool()),
  lazy(natsSchema, async () => (await import('./nats/nats-tool.ts')).createNatsTool()),
  lazy(quantumSchema, async () => (await import('./quantum/quantum-tool.ts')).createQuantumTool()),
  lazy(s3Schema, async () => (await import('./s3/s3-tool.ts')).createS3Tool()),
  lazy(transferSchema, async () => (await import('./transfer/transfer-tool.ts')).createTransferTool()),
  lazy(pythonSchema, async (options) => (await import('./python/python-tool.ts')).createPythonTool(options)),
  lazy(rSchema, async (options) => (await import('./r/r-tool.ts')).createRTool(options)),
  lazy(shellSchema, async (options) => (await import('./shell/shell-tool.ts')).createShellTool(options)),
  { schema: gateSchema, create: () => gateTool },
  {
    ...lazy(execSchema, async (options) => (await import('./exec/exec-tool.ts')).createExecTool(options)),
    stages: true,
  },
  { schema: playbookSchema },
  { schema: workbookSchema },
];

/** The kinds that a playbook can name. */
export const toolSchemas: ToolSchema[] = kinds.filter(({ stages }) => !stages).map(({ schema }) => schema);

export function createTools(options: ToolOptions = {}): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const { schema, create } of kinds) if (create) tools.set(schema.kind, create(options));
  return tools;
}

function lazy(schema: ToolSchema, load: (options: ToolOptions) => Promise<Tool>): Kind {
  return { schema, create: (options) => lazyTool(schema, () => load(options)) };
}
