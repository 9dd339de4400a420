import { begin } from '../keep.ts';
import type { Performer } from '../performer.ts';
import type { Planned } from '../plan.ts';
import { perform } from './perform.ts';
import type { Work } from './plan.ts';

/** Each person is some calls of their own (spec 4.2). */
export const peoplePerformer: Performer = {
  atOnce: 4,
  pieces: (rows) => rows.map((row) => [row]),
  async perform({ rows, progress, tell }) {
    await Promise.all(
      rows.map(async (plan) => {
        // What was planned for people holds their work.
        tell(plan.row, await perform(plan as Planned<Work>, progress.get(plan.row) ?? begin(plan)));
      }),
    );
  },
  effects: ['createUser', 'updateUser'],
};
