import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { RowError, ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { Field } from '../model/schema.ts';
import type { FieldWrite, RowWork } from './stored-values.ts';

/** Row numbers that a value refers to. */
export const getReferencedRows = (value: FieldWrite['value']): number[] =>
  (Array.isArray(value) ? value : [value]).flatMap((id) => (typeof id === 'number' && id < 0 ? -id : []));

/**
 * Whether a new entry must have the field from the start: it is required, or conditions depend on it (spec 4.6,
 * requiredWhen).
 */
export const isRequiredOnCreate = (field: Field, fields: readonly Field[]): boolean =>
  field.isRequired ||
  (field.requiredWhen ?? undefined) !== undefined ||
  fields.some(({ requiredWhen }) => requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id));

/** Whether a field can refer to entries of a type. */
export const canHold = ({ fieldType, entryLists = [] }: Field, typeId: number | undefined): boolean =>
  fieldType === FIELD.reference && (entryLists.length === 0 || entryLists.some((id) => id === typeId));

/** Reference from one row to another. */
interface RowReference {
  from: number;
  to: number;
  fieldId: number;
  isFirst: boolean;
}

const getReferences = ({ row, work }: ImportRowPlan<RowWork>): RowReference[] =>
  work.items.flatMap(({ fieldId, value, rowOrder }) =>
    rowOrder === undefined
      ? []
      : getReferencedRows(value).map((to) => ({ from: row, to, fieldId, isFirst: rowOrder === 'first' })),
  );

/** Removes references whose `start` row is not the `end` of another reference, repeatedly. */
function removeLeaves(
  edges: readonly RowReference[],
  start: 'from' | 'to',
  end: 'from' | 'to',
): readonly RowReference[] {
  const degree = new Map<number, number>();
  for (const edge of edges) degree.set(edge[end], (degree.get(edge[end]) ?? 0) + 1);
  const byStart = Map.groupBy(edges, (edge) => edge[start]);
  const deleted = new Set<number>();
  const free = [...byStart.keys()].filter((row) => !degree.has(row));
  for (let row = free.pop(); row !== undefined; row = free.pop()) {
    deleted.add(row);
    for (const edge of byStart.get(row) ?? []) {
      const left = (degree.get(edge[end]) ?? 0) - 1;
      degree.set(edge[end], left);
      if (left === 0) free.push(edge[end]);
    }
  }
  return edges.filter((edge) => !deleted.has(edge[start]));
}

/** References in cycles, or between two cycles. */
const findCycles = (edges: readonly RowReference[]): readonly RowReference[] =>
  removeLeaves(removeLeaves(edges, 'from', 'to'), 'to', 'from');

/** Errors of rows that refer to rows that cannot be imported. */
function findReferenceErrors(
  plans: readonly ImportRowPlan<RowWork>[],
  fields: readonly Field[],
): Map<number, RowError[]> {
  const called = new Map(fields.map(({ id, apiName }) => [id, apiName]));
  const edges = plans.flatMap(getReferences);
  const created = new Set(plans.filter(({ outcome }) => outcome === 'create').map(({ row }) => row));
  const errors = new Map<number, RowError[]>();
  const lost = plans.filter(({ outcome }) => outcome === 'cannot').map(({ row }) => row);
  const report = ({ from, fieldId }: RowReference, message: string): void => {
    const existing = errors.get(from);
    if (!existing) lost.push(from);
    errors.set(from, [...(existing ?? []), { field: called.get(fieldId), message }]);
  };
  const circles = new Set(findCycles(edges.filter(({ from, isFirst }) => isFirst && created.has(from))));
  for (const edge of circles)
    report(
      edge,
      edge.to === edge.from
        ? 'Refers to its own row, but is required when the entry is created'
        : `Refers to row ${edge.to}, which refers back to this one, but is required when the entry is created`,
    );
  const byTarget = Map.groupBy(edges, ({ to }) => to);
  for (let row = lost.pop(); row !== undefined; row = lost.pop())
    for (const edge of byTarget.get(row) ?? [])
      if (edge.from !== row && !circles.has(edge))
        report(edge, `Row ${row}, which it refers to, cannot be imported`);
  return errors;
}

/** Refuses rows that refer, directly or indirectly, to rows that cannot be imported. */
export function refuseUnresolvable(
  plans: readonly ImportRowPlan<RowWork>[],
  fields: readonly Field[],
): ImportRowPlan<RowWork>[] {
  const errors = findReferenceErrors(plans, fields);
  return plans.map((plan) => {
    const own = errors.get(plan.row);
    return own
      ? {
          ...plan,
          outcome: 'cannot',
          changes: [],
          errors: own,
          work: { ...plan.work, items: [], before: {} },
        }
      : plan;
  });
}
