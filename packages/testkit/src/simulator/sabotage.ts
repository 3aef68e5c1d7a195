/** What a test breaks on purpose, to see that a watch notices. */
export type Sabotage = 'forgetful-store' | 'two-writers' | 'trusting-workers';
