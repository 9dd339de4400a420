import { weigh } from '../scripts/budget.ts';
import type { Bench } from './bench.ts';

/** The floor is React, the router and TanStack Query alone, measured once in a build of their own. */
const LIBRARIES_ALONE = 103;

export const bundle: Bench = {
  name: 'Bundle, gzipped',
  run: async () =>
    weigh().map(({ name, actual }) => ({
      name,
      ours: actual,
      ...(name.startsWith('JavaScript') && { floor: LIBRARIES_ALONE }),
      unit: 'KiB',
    })),
};
