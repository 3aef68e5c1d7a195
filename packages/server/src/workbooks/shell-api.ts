/** What the shell page and its host say to each other: JSON over HTTP, beside the page (`api/…`). Types only. */
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
  /** Names of values: those that it would get, and those that it asks for and nobody gave. */
  env: { given: string[]; missing: string[] };
  /** What was granted before; absent: nobody was asked. */
  granted?: Permission[];
  /** Where a frame finds out what this browser enforces. */
  probe: string;
  /** Where what it keeps lies, in words. */
  keeper: string;
}

/** POST api/grant: a person has just granted these. */
export interface GrantRequest {
  permissions: Permission[];
}

/** POST api/run: with what was granted before. */
export interface Running {
  /** The address of the document, for one frame. */
  url: string;
  /** Names the running workbook in further calls. */
  ticket: string;
  granted: Permission[];
  /** Of the frame. */
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

/** Any call that fails. */
export interface Failure {
  error: { code: BrokerErrorCode | 'consent' | 'token'; message: string };
}
