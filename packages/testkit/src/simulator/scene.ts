/** Who is in a simulated world, and what they do. */
import type { Plan } from '@woof/net';

export interface Scene {
  boot(): void;
  /** A person starts an execution. Resolves when the person knows that it has begun. */
  submit(document: Plan, id: string): Promise<void>;
  /** Plans what goes wrong. */
  trouble(): void;
  /** The trouble is over: people make everything end. */
  recover(): void;
}
