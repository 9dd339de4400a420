import type { ReportDifference, ReportRun } from '../../../../contract/generated/types.gen.ts';

/** Whether the values of a report are kept, so that it can be compared. */
const isComparable = ({ status, isRemoved, requestedBy }: ReportRun, userId: number): boolean =>
  status === 'Ready' && !isRemoved && requestedBy === userId;

/** Reports of the same template that a report can be compared with, newest first. */
export const findComparable = (runs: readonly ReportRun[], run: ReportRun, userId: number): ReportRun[] =>
  isComparable(run, userId)
    ? runs.filter(
        (other) =>
          other.runId !== run.runId && other.templateId === run.templateId && isComparable(other, userId),
      )
    : [];

/** A row of the comparison: an entry that was added or removed, or a value that changed. */
export interface DifferenceRow {
  id: string;
  entryId: number;
  name: string;
  kind: 'added' | 'removed' | 'changed';
  path: string;
  before: string;
  after: string;
}

const toRow =
  (kind: 'added' | 'removed') =>
  ({ entryId, name }: ReportDifference['added'][number]): DifferenceRow => ({
    id: `${entryId} ${kind}`,
    entryId,
    name,
    kind,
    path: '',
    before: '',
    after: '',
  });

/** The rows of a comparison: changed values, then added and removed entries. */
export function toDifferenceRows({ changed, added, removed }: ReportDifference): DifferenceRow[] {
  const values = changed.flatMap(({ entryId, name, values: changes }) =>
    changes.map(({ path, before, after }) => ({
      id: `${entryId} ${path}`,
      entryId,
      name,
      kind: 'changed' as const,
      path,
      before: before ?? '',
      after: after ?? '',
    })),
  );
  return [...values, ...added.map(toRow('added')), ...removed.map(toRow('removed'))];
}
