import { begin } from '../keep.ts';
import type { Performer } from '../performer.ts';
import type { Planned } from '../plan.ts';
import { perform } from './perform.ts';
import type { Work } from './plan.ts';

/** Each person is some calls of their own (spec 4.2). */
export const peoplePerformer: Performer = {
  atOnce: 4,
  pieces: (rows) => rows.map((row) => [row]),
  async perform({ rows, progress }) {
    const results = await Promise.all(
      rows.map(async (plan) => {
        // What was planned for people holds their work.
        const result = await perform(plan as Planned<Work>, progress.get(plan.row) ?? begin(plan));
        return [plan.row, result] as const;
      }),
    );
    return new Map(results);
  },
  effects: ['createUser', 'updateUser'],
};
