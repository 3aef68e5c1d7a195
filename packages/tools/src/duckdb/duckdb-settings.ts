/** How DuckDB is set up before a document's SQL runs. */
import { literal } from './duckdb-tables.ts';
import type { DuckdbTask } from './duckdb-task.ts';

export function settingsOf(
  { memoryMb, database, readOnly }: Pick<DuckdbTask, 'memoryMb' | 'database' | 'readOnly'>,
  folder: string,
  isolated: boolean,
): Record<string, string> {
  return {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: `${memoryMb}MB`,
    threads: '2',
    temp_directory: isolated ? '/tmp/spill' : `${folder}/spill`,
    ...(readOnly && database !== ':memory:' ? { access_mode: 'READ_ONLY' } : {}),
  };
}

/** The sandbox is the boundary. DuckDB's own restrictions also apply without a sandbox, and cannot be lifted later. */
export function boundary(
  { policy, workdir }: Pick<DuckdbTask, 'policy' | 'workdir'>,
  ...folders: string[]
): string[] {
  const allowed = policy.allow_files ? [workdir, ...folders] : folders;
  return [
    "SET TimeZone = 'UTC'",
    `SET allowed_directories = [${allowed.map((each) => literal(`${each}/`)).join(', ')}]`,
    'SET enable_external_access = false',
  ];
}
