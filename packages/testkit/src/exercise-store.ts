/** The conformance suite of a store: every implementation runs it. One file per area, in `store/`. */
import { afterEach, beforeEach, describe } from 'vitest';
import { exerciseDue } from './store/due.ts';
import { exerciseLists } from './store/lists.ts';
import { exerciseLog } from './store/log.ts';
import { exerciseMembers } from './store/members.ts';
import { exerciseMessages } from './store/messages.ts';
import { exercisePermits } from './store/permits.ts';
import { exerciseRecords } from './store/records.ts';
import { exerciseRows } from './store/rows.ts';
import type { StoreFixture } from './store/store-fixture.ts';

export type { StoreFixture } from './store/store-fixture.ts';

export function exerciseStore(name: string, make: () => Promise<StoreFixture>): void {
  describe(`store: ${name}`, () => {
    let fixture: StoreFixture;
    const current = () => fixture;
    beforeEach(async () => {
      fixture = await make();
    });
    afterEach(() => fixture.dispose());

    exerciseLog(current);
    exerciseRows(current);
    exerciseLists(current);
    exerciseMembers(current);
    exerciseDue(current);
    exerciseRecords(current);
    exercisePermits(current);
    exerciseMessages(current);
  });
}
