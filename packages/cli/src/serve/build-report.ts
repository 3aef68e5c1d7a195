/** The page of a run, as `woof build RUN` makes it, for a server that receives a request for it. */
import type { BuildReport } from '@woof/server';
import { pagePart } from '../page-part.ts';

export const buildReport: BuildReport = async (source) => {
  const { buildRun, readRun, Refused, RunTooLarge } = await import('@woof/workbook-build');
  try {
    const { run } = await readRun(source);
    return { html: buildRun(run, { part: pagePart }) };
  } catch (error) {
    if (error instanceof Refused || error instanceof RunTooLarge) return { refused: error.message };
    throw error;
  }
};
