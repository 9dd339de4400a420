import { measureBundle } from '../../scripts/bundle-budget.ts';
import type { Bench } from '../bench.ts';

/** Floor: size of React, the router and TanStack Query alone, measured once in a separate build. */
const LIBRARIES_ALONE = 103;

export const bundle: Bench = {
  name: 'Bundle, gzipped',
  run: async () =>
    measureBundle().map(({ name, actual, unit }) => ({
      name,
      ours: actual,
      ...(name.startsWith('JavaScript') && { floor: LIBRARIES_ALONE }),
      unit,
    })),
};
