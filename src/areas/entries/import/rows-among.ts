import { FIELD } from '../../../../contract/rules/fields.ts';
import type { Fault, Planned } from '../../import/plan.ts';
import type { Field } from '../model/schema.ts';
import type { SentField, Work } from './check.ts';

/** The rows of the file that a value names, as what they make is not there yet. */
export const rowsIn = (value: SentField['value']): number[] =>
  (Array.isArray(value) ? value : [value]).flatMap((id) => (typeof id === 'number' && id < 0 ? -id : []));

/**
 * Whether a new entry cannot be without a field for a moment: it needs the value, or others do or do not by what it
 * holds (spec 4.6, requiredWhen).
 */
export const isNeededAtOnce = (field: Field, fields: readonly Field[]): boolean =>
  field.isRequired ||
  (field.requiredWhen ?? undefined) !== undefined ||
  fields.some(({ requiredWhen }) => requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id));

/** Whether entries of a type can stand in a field. */
export const canHold = ({ fieldType, entryLists = [] }: Field, typeId: number | undefined): boolean =>
  fieldType === FIELD.reference && (entryLists.length === 0 || entryLists.some((id) => id === typeId));

/** A row that names another one. */
interface Edge {
  from: number;
  to: number;
  fieldId: number;
  isFirst: boolean;
}

const edgesOf = ({ row, work }: Planned<Work>): Edge[] =>
  work.items.flatMap(({ fieldId, value, rows }) =>
    rows === undefined
      ? []
      : rowsIn(value).map((to) => ({ from: row, to, fieldId, isFirst: rows === 'first' })),
  );

/** Takes away, as long as there are any, edges that start where none ends. */
function withoutEnds(edges: readonly Edge[], start: 'from' | 'to', end: 'from' | 'to'): readonly Edge[] {
  const degree = new Map<number, number>();
  for (const edge of edges) degree.set(edge[end], (degree.get(edge[end]) ?? 0) + 1);
  const byStart = Map.groupBy(edges, (edge) => edge[start]);
  const gone = new Set<number>();
  const free = [...byStart.keys()].filter((row) => !degree.has(row));
  for (let row = free.pop(); row !== undefined; row = free.pop()) {
    gone.add(row);
    for (const edge of byStart.get(row) ?? []) {
      const left = (degree.get(edge[end]) ?? 0) - 1;
      degree.set(edge[end], left);
      if (left === 0) free.push(edge[end]);
    }
  }
  return edges.filter((edge) => !gone.has(edge[start]));
}

/** Edges of rows that wait for each other in a circle, or stand between two circles. */
const circlesIn = (edges: readonly Edge[]): readonly Edge[] =>
  withoutEnds(withoutEnds(edges, 'from', 'to'), 'to', 'from');

/** What is wrong with rows that cannot be, because of rows that they name. */
function faultsAmong(plans: readonly Planned<Work>[], fields: readonly Field[]): Map<number, Fault[]> {
  const called = new Map(fields.map(({ id, apiName }) => [id, apiName]));
  const edges = plans.flatMap(edgesOf);
  const created = new Set(plans.filter(({ outcome }) => outcome === 'create').map(({ row }) => row));
  const faults = new Map<number, Fault[]>();
  const lost = plans.filter(({ outcome }) => outcome === 'cannot').map(({ row }) => row);
  const tell = ({ from, fieldId }: Edge, message: string): void => {
    const known = faults.get(from);
    if (!known) lost.push(from);
    faults.set(from, [...(known ?? []), { field: called.get(fieldId), message }]);
  };
  const circles = new Set(circlesIn(edges.filter(({ from, isFirst }) => isFirst && created.has(from))));
  for (const edge of circles)
    tell(
      edge,
      edge.to === edge.from
        ? 'Names its own row, and has to be there when the entry is made'
        : `Names row ${edge.to}, which names this one in turn, and has to be there when the entry is made`,
    );
  const byTarget = Map.groupBy(edges, ({ to }) => to);
  for (let row = lost.pop(); row !== undefined; row = lost.pop())
    for (const edge of byTarget.get(row) ?? [])
      if (edge.from !== row && !circles.has(edge))
        tell(edge, `Row ${row}, which it names, cannot be imported`);
  return faults;
}

/** The plans with those undone that name rows which cannot be imported, and those that name them in turn. */
export function withoutLost(plans: readonly Planned<Work>[], fields: readonly Field[]): Planned<Work>[] {
  const faults = faultsAmong(plans, fields);
  return plans.map((plan) => {
    const own = faults.get(plan.row);
    return own
      ? {
          ...plan,
          outcome: 'cannot',
          changes: [],
          faults: own,
          work: { ...plan.work, items: [], before: {} },
        }
      : plan;
  });
}
