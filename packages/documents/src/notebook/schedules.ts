/**
 * The schedules in the header of a notebook, and what is wrong with them. The format reserves `metadata` for such
 * things.
 */
import type { DeclaredSchedule, Diagnostic } from '@woof/net';
import { readSchedules } from '../schedules/read-schedules.ts';
import type { Notebook } from './notebook.ts';

export function schedulesOfNotebook({ header, source }: Notebook): {
  schedules: DeclaredSchedule[];
  diagnostics: Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const schedules = readSchedules(header.root, header.node('metadata', 'schedules'), {
    report: (diagnostic) => diagnostics.push(diagnostic),
    span: (place) => header.spanOf(place, source),
    place: 'metadata.schedules',
    path: header.path,
    inputs: header.parameters,
    declares: 'the parameters have',
    hasTemplates: false,
  });
  return { schedules, diagnostics };
}
