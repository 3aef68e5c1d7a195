/** Who is in a simulated world, and what they do. */
import type { Plan } from '@woof/net';

export interface Scene {
  boot(): void;
  /** A person starts an execution. Resolves when the person knows that it has started. */
  submit(document: Plan, id: string): Promise<void>;
  /** Schedules what goes wrong. */
  trouble(): void;
  /** The faults are over: people bring everything to an end. */
  recover(): void;
}
