/** Tells a user who is waiting why nothing seems to happen. */
export function sayLongUpdate(executions: number): void {
  const count = executions.toLocaleString('en');
  process.stderr.write(
    `updating the stored data of ${count} runs to this version of Woof; this happens once\n`,
  );
}
