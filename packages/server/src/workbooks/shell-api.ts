/** What the shell page and its host send each other: JSON over HTTP, at `api/…` below the page. Types only. */
import type { Permission } from '@woof/documents/workbook';
import type { BrokerErrorCode, HostCan } from '@woof/workbook-runtime/broker';

/** A permission that the workbook asks for, in the words that people read. */
export interface Ask {
  permission: Permission;
  title: string;
  means: string;
  /** The reason that the workbook gives. */
  reason?: string;
}

/** GET api/facts */
export interface Facts {
  title: string;
  kind: string;
  hash: string;
  bytes: number;
  asks: Ask[];
  /** What internet access adds to the other permissions; empty if it adds nothing. */
  together: string;
  /** What was granted before; absent if nobody was asked yet. */
  granted?: Permission[];
  /** The address at which a frame finds out what this browser enforces. */
  probe: string;
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
