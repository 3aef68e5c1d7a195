/** The command line: one line a verb here, one file a verb in verbs/. A verb's file is loaded when it is called. */
import { Command } from 'commander';
import { UserError } from './user-error.ts';

declare const WOOF_VERSION: string;

const collect = (value: string, list: string[]): string[] => [...list, value];

export async function main(argv: readonly string[]): Promise<number> {
  let code = 0;
  const program = new Command('woof')
    .description('Workflows that people and agents can read.')
    .version(WOOF_VERSION);
  program.exitOverride();
  program
    .command('run <file>')
    .description('run a playbook here and now')
    .option('--set <key=value>', 'set a workload value (YAML, dots nest); repeatable', collect, [])
    .option('--json', 'print the account of the run as the last line')
    .option('--data <dir>', 'the data directory')
    .option('--allow <list>', 'grant files, network or shell to code')
    .option('--no-sandbox', 'run code without isolation by the operating system')
    .action(async (file, flags) => {
      code = await (await import('./verbs/run.ts')).run(file, flags);
    });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    return failed(error);
  }
  return code;
}

function failed(error: unknown): number {
  if (error instanceof UserError) {
    console.error(`error: ${error.message}${error.fix ? `\n  fix: ${error.fix}` : ''}`);
    return error.exitCode;
  }
  const code = (error as { code?: string }).code;
  if (code?.startsWith('commander.')) return (error as { exitCode: number }).exitCode === 0 ? 0 : 2;
  throw error;
}
