/**
 * The log of a server: one record per line, as JSON or as text.
 *
 * Invariant: only these fields are ever written, so payloads and results cannot appear. Anything in a message that looks
 * like a token is masked.
 */

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export const LOG_FORMATS = ['text', 'json'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogFields {
  execution_id?: string;
  schedule_id?: string;
  worker?: string;
  server?: string;
  /** The id of a token, never its secret. */
  token_id?: string;
  request_id?: string;
  /** The name of a call and its result. */
  call?: string;
  status?: number;
  ms?: number;
  error?: string;
  /** How often the same fault occurred since it was last logged. */
  repeated?: number;
}

export interface ServerLogOptions {
  level: LogLevel;
  format: LogFormat;
  write: (line: string) => void;
  now?: () => number;
}

const SECRET = /woof_([0-9a-z]{8,16})_[\w-]{20,}|\b(bearer|basic)\s+[\w.~+/=-]+/gi;
const SAME_FAULT_EVERY_MS = 10_000;
const MOST_REMEMBERED = 1000;
const LONGEST_VALUE = 2000;

export class ServerLog {
  /** By message: when a fault was last logged, and how often it occurred since. */
  private readonly told = new Map<string, { at: number; repeated: number }>();

  constructor(private readonly options: ServerLogOptions) {}

  debug(msg: string, fields?: LogFields): void {
    this.say('debug', msg, fields);
  }

  info(msg: string, fields?: LogFields): void {
    this.say('info', msg, fields);
  }

  warn(msg: string, fields?: LogFields): void {
    this.say('warn', msg, fields);
  }

  /** If the store is unreachable, every execution fails every second. The same fault is logged now and then, with a count. */
  fault(error: unknown, fields: LogFields = {}): void {
    const message = messageOf(error);
    const at = (this.options.now ?? Date.now)();
    const last = this.told.get(message);
    if (last !== undefined && at - last.at < SAME_FAULT_EVERY_MS) {
      last.repeated += 1;
      return;
    }
    if (this.told.size >= MOST_REMEMBERED) this.told.clear();
    this.told.set(message, { at, repeated: 0 });
    const repeated = last?.repeated ? { repeated: last.repeated } : {};
    this.say('error', 'fault', { ...fields, error: message, ...repeated });
  }

  private say(level: LogLevel, msg: string, fields: LogFields = {}): void {
    const { format, write, now = Date.now } = this.options;
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.options.level)) return;
    const time = new Date(now()).toISOString();
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    const known = entries.map(([key, value]) => [key, typeof value === 'string' ? masked(value) : value]);
    if (format === 'json') {
      write(`${JSON.stringify({ time, level, msg: masked(msg), ...Object.fromEntries(known) })}\n`);
      return;
    }
    const more = known.map(([key, value]) => ` ${key}=${plain(value)}`).join('');
    write(`${time} ${level.padEnd(5)} ${oneLine(masked(msg))}${more}\n`);
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `; ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}

function masked(text: string): string {
  const shown = text.replaceAll(SECRET, (_, id?: string, scheme?: string) =>
    scheme ? `${scheme} ***` : `woof_${id}_***`,
  );
  return shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown;
}

function plain(value: unknown): string {
  const text = oneLine(String(value));
  return /[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text;
}

/** No text can start a new line or control a terminal. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');
