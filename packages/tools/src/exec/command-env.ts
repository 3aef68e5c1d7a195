/**
 * The environment of a command: what programs need to work at all, who started them, then the block's variables, then
 * its own. Nothing else of the worker's environment reaches a command, so the worker's credentials stay private.
 */
import type { ToolCall } from '../tool.ts';
import type { ExecBlock, ExecCommand } from './exec-block.ts';

const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR))$/i;

export function commandEnv(
  block: ExecBlock,
  command: ExecCommand,
  call: Pick<ToolCall, 'executionId' | 'step' | 'idempotencyKey'>,
  isolated: boolean,
): Record<string, string> {
  const identity = {
    WOOF_RUN_ID: call.executionId,
    WOOF_STAGE_ID: call.step,
    WOOF_IDEMPOTENCY_KEY: call.idempotencyKey,
  };
  return { ...(isolated ? ISOLATED : inherited()), ...identity, ...block.env, ...command.env };
}

const ISOLATED = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  USER: 'nobody',
  LOGNAME: 'nobody',
};

function inherited(): Record<string, string> {
  const pairs = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && INHERITED.test(name) ? [[name, value] as const] : [],
  );
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(pairs) };
}
