/** The address of the page of a run, at one of its steps if one is named. */
export function runAddress(id: string, step?: string): string {
  const page = `/runs/${encodeURIComponent(id)}`;
  return step === undefined ? page : `${page}?step=${encodeURIComponent(step)}`;
}
