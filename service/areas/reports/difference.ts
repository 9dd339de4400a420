/** Compares the values of two reports. */
import type { ReportDifference } from '../../../contract/generated/types.gen.ts';
import type { ReportValues } from './generate.ts';

/** Entries of each list that a comparison returns. */
const MAX_ENTRIES = 1_000;

const toEntry = ([entryId, name]: ReportValues[number]) => ({ entryId, name });

type Difference = Omit<ReportDifference, 'runId' | 'otherRunId'>;

/** The difference between the values of an earlier and a later report, each list in the order of its report. */
export function compareValues(before: ReportValues, after: ReportValues): Difference {
  const earlier = new Map(before.map((item) => [item[0], item]));
  const later = new Set(after.map(([id]) => id));
  const added = after.filter(([id]) => !earlier.has(id)).map(toEntry);
  const removed = before.filter(([id]) => !later.has(id)).map(toEntry);
  const changed = after.flatMap(([entryId, name, values]) => {
    const old = earlier.get(entryId)?.[2];
    if (!old) return [];
    const paths = [...new Set([...Object.keys(old), ...Object.keys(values)])];
    const differences = paths.flatMap((path) =>
      old[path] === values[path] ? [] : [{ path, before: old[path] ?? null, after: values[path] ?? null }],
    );
    return differences.length === 0 ? [] : [{ entryId, name, values: differences }];
  });
  return {
    added: added.slice(0, MAX_ENTRIES),
    removed: removed.slice(0, MAX_ENTRIES),
    changed: changed.slice(0, MAX_ENTRIES),
    counts: {
      added: added.length,
      removed: removed.length,
      changed: changed.length,
      unchanged: after.length - added.length - changed.length,
    },
    isTruncated: [added, removed, changed].some(({ length }) => length > MAX_ENTRIES),
  };
}
