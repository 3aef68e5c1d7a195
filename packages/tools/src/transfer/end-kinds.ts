/** What a transfer can read and write, one row per kind. The fields of each are in `end-fields.ts`. */
import type { JsonObject } from '@woof/net';
import type { ToolCall } from '../tool.ts';
import { type DuckdbSite, DuckdbSource, DuckdbTarget } from './duckdb-ends.ts';
import { HttpSource, HttpTarget } from './http-ends.ts';
import { PostgresSource, PostgresTarget } from './postgres-ends.ts';
import { S3Source, s3Target } from './s3-ends.ts';
import type { TransferPlan, TransferSource, TransferTarget } from './transfer-ends.ts';

/** Where an end is opened. */
interface EndSite extends DuckdbSite {
  call: ToolCall;
}

type Open<End> = (end: JsonObject, site: EndSite, plan: TransferPlan) => End | Promise<End>;

interface EndKind {
  source: Open<TransferSource>;
  target: Open<TransferTarget>;
  /** Whether DuckDB reads or writes it, in the sandbox. */
  isLocal: boolean;
  /** Whether it is in a file. */
  usesFiles(end: JsonObject): boolean;
}

const never = () => false;

const KINDS: Readonly<Record<string, EndKind>> = {
  postgres: {
    source: (end, _site, plan) => new PostgresSource(end, plan),
    target: (end, _site, plan) => new PostgresTarget(end, plan),
    isLocal: false,
    usesFiles: never,
  },
  http: {
    source: (end, { call }, plan) => new HttpSource(call, end, plan),
    target: (end, { call }, plan) => new HttpTarget(call, end, plan),
    isLocal: false,
    usesFiles: never,
  },
  s3: {
    source: (end, site, plan) => new S3Source(end, site, plan),
    target: s3Target,
    isLocal: true,
    usesFiles: never,
  },
  file: {
    source: (end, site, plan) => DuckdbSource.ofFile(end, site, plan),
    target: (end, site, plan) => DuckdbTarget.ofFile(end, site, plan),
    isLocal: true,
    usesFiles: () => true,
  },
  duckdb: {
    source: (end, site, plan) => DuckdbSource.ofDatabase(end, site, plan),
    target: (end, site, plan) => DuckdbTarget.ofDatabase(end, site, plan),
    isLocal: true,
    usesFiles: ({ database }) => database !== undefined,
  },
};

/** For an end whose kind `endOf` has checked. */
export function kindOfEnd({ kind }: JsonObject): EndKind {
  return KINDS[String(kind)]!;
}
