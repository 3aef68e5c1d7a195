/** The schedules in the header of a notebook, and what is wrong with them. The format keeps `metadata` for such things. */
import type { DeclaredSchedule, Diagnostic } from '@woof/net';
import { readSchedules, type ScheduleScope, warnMisplaced } from '../schedules/read-schedules.ts';
import type { Notebook } from './notebook.ts';

export function schedulesOfNotebook({ header, source }: Notebook): {
  schedules: DeclaredSchedule[];
  diagnostics: Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const scope: ScheduleScope = {
    report: (diagnostic) => diagnostics.push(diagnostic),
    span: (place) => header.spanOf(place, source),
    path: header.path,
    inputs: header.parameters,
    declares: 'the parameters have',
    hasTemplates: false,
  };
  warnMisplaced(header.root, 'metadata.schedules', scope);
  const schedules = readSchedules(header.node('metadata', 'schedules'), scope);
  return { schedules, diagnostics };
}
