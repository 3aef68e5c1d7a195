/** What the shell page and its host send each other: JSON over HTTP, at `api/…` below the page. Types only. */
import type { Permission, Reasons } from '@woof/documents/workbook';
import type { BrokerErrorCode, HostCan } from '@woof/workbook-runtime/broker';

/** GET api/facts */
export interface Facts {
  title: string;
  kind: string;
  hash: string;
  bytes: number;
  permissions: Permission[];
  reasons: Reasons;
  /** Names of values: those that it would get, and those that it requests but nobody gave. */
  env: { given: string[]; missing: string[] };
  /** What was granted before; absent if nobody was asked yet. */
  granted?: Permission[];
  /** The address at which a frame finds out what this browser enforces. */
  probe: string;
  /** Where kept values are stored, in words. */
  keeper: string;
}

/** POST api/grant: a person has just granted these. */
export interface GrantRequest {
  permissions: Permission[];
}

/** POST api/run: runs with what was granted before. */
export interface Running {
  /** The address of the document, for one frame. */
  url: string;
  /** Identifies the running workbook in further calls. */
  ticket: string;
  granted: Permission[];
  /** The sandbox of the frame. */
  sandbox: string;
  can: HostCan;
  env: Record<string, string>;
}

/** POST api/loads */
export interface Loads {
  loads: number;
}

/** POST api/persist */
export interface PersistRequest {
  ticket: string;
  call: 'persist.get' | 'persist.set' | 'persist.delete' | 'persist.keys';
  args: unknown[];
}

export interface PersistAnswer {
  value?: unknown;
}

/** The response to any call that fails. */
export interface Failure {
  error: { code: BrokerErrorCode | 'consent' | 'token'; message: string };
}
