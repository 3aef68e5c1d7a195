/** Every attempt. `escape.test.ts` runs each in the sandbox, where it must fail, and bare, where it must work. */
import type { Attempt } from './attempt.ts';
import { FILES } from './attempts/files.ts';
import { NETWORK } from './attempts/network.ts';
import { PRIVILEGES } from './attempts/privileges.ts';
import { PROCESSES } from './attempts/processes.ts';
import { PROTOCOL } from './attempts/protocol.ts';
import { RESOURCES } from './attempts/resources.ts';

export const ATTEMPTS: Attempt[] = [
  ...FILES,
  ...NETWORK,
  ...PROCESSES,
  ...PRIVILEGES,
  ...RESOURCES,
  ...PROTOCOL,
];
