/** A server's refusal of a schedule, in the terms of the command line, where its fields are flags. */
import { Problem } from '@woof/protocol';
import { UserError } from './user-error.ts';

const FLAGS: Record<string, string> = {
  cron: '--cron',
  timezone: '--tz',
  catch_up: '--catch-up',
  overlap: '--overlap',
  payload: '--payload',
  schedule_id: '--name',
};

/** The refusal of `schedule add`; any other error stays unchanged. */
export function scheduleRefusal(error: unknown, id: string): unknown {
  if (!(error instanceof Problem)) return error;
  if (error.code === 'request/conflict')
    return new UserError(error.message, `replace it with --replace, or choose a --name other than ${id}`);
  const [, quoted, plain] = /^(?:the body "(\w+)"|(\w+)(?=[: ]))/.exec(error.message) ?? [];
  const field = quoted ?? plain ?? '';
  if (error.code !== 'request/invalid' || !Object.hasOwn(FLAGS, field)) return error;
  const said = error.message.replace(/^the body "\w+"|^\w+/, FLAGS[field]!);
  return new UserError(said, 'see: woof schedule --help', 2);
}
