/** What readers must know of each kind; only what shows pages loads it. */
import { artifactManual } from './artifact/artifact-manual.ts';
import { containerManual } from './container/container-manual.ts';
import { duckdbManual } from './duckdb/duckdb-manual.ts';
import { gateManual } from './gate/gate-manual.ts';
import { graphqlManual } from './graphql/graphql-manual.ts';
import { httpManual } from './http/http-manual.ts';
import { llmManual } from './llm/llm-manual.ts';
import { natsManual } from './nats/nats-manual.ts';
import { noopManual } from './noop/noop-manual.ts';
import { playbookManual } from './playbook/playbook-manual.ts';
import { postgresManual } from './postgres/postgres-manual.ts';
import { pythonManual } from './python/python-manual.ts';
import { quantumManual } from './quantum/quantum-manual.ts';
import { rManual } from './r/r-manual.ts';
import { s3Manual } from './s3/s3-manual.ts';
import { secretsManual } from './secrets/secrets-manual.ts';
import { shellManual } from './shell/shell-manual.ts';
import type { ToolManual } from './tool-manual.ts';
import { transferManual } from './transfer/transfer-manual.ts';
import { waitManual } from './wait/wait-manual.ts';
import { workbookManual } from './workbook/workbook-manual.ts';

export type { ToolManual } from './tool-manual.ts';
export { kindTable, toolPage } from './tool-page.ts';

export const toolManuals: Record<string, ToolManual> = {
  artifact: artifactManual,
  container: containerManual,
  duckdb: duckdbManual,
  gate: gateManual,
  graphql: graphqlManual,
  http: httpManual,
  llm: llmManual,
  nats: natsManual,
  noop: noopManual,
  playbook: playbookManual,
  postgres: postgresManual,
  python: pythonManual,
  quantum: quantumManual,
  r: rManual,
  s3: s3Manual,
  secrets: secretsManual,
  shell: shellManual,
  transfer: transferManual,
  wait: waitManual,
  workbook: workbookManual,
};
