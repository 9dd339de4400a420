import type { EntryImportRow, JobCellValue } from '../../../../contract/generated/types.gen.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { getReferencedRows } from './row-references.ts';
import type { FieldWrite, RowWork, StoredValue } from './stored-values.ts';

type Plan = ImportRowPlan<RowWork>;

/**
 * Items of the job for the planned rows. Rows come after those that they refer to; where rows refer to each other, a second item
 * (`ofItem`) sets the references that would name a later item.
 * @param keepsCells whether the job keeps the cells of the file, for the file of failed rows
 */
export function toImportItems(plans: readonly Plan[], keepsCells = false): EntryImportRow[] {
  const order = orderPlans(plans);
  const numbers = new Map(order.map(({ row }, index) => [row, index + 1]));
  const secondItems: EntryImportRow[] = [];
  const items = order.map(({ row, id, work, cells }, index): EntryImportRow => {
    const file = keepsCells && cells && areStorable(cells) ? { cells: cells.map(toStorableText) } : {};
    const isLater = ({ rowOrder, value }: FieldWrite): boolean =>
      rowOrder === 'later' && getReferencedRows(value).some((other) => (numbers.get(other) ?? 0) > index);
    const later = work.items.filter(isLater);
    if (later.length > 0)
      secondItems.push({
        row,
        ofItem: index + 1,
        values: later.map((item) => toCell(item, numbers)),
        ...file,
      });
    const now = work.items.filter((item) => !isLater(item));
    return {
      row,
      values: now.map((item) => toCell(item, numbers)),
      ...file,
      ...(id !== undefined && {
        entryId: id,
        // Values changed by others since the check are not overwritten (shapes 1, lost updates).
        expected: now.map(({ fieldId }) => toExpected(fieldId, work.before[fieldId])),
      }),
    };
  });
  return [...items, ...secondItems];
}

/** Columns and lengths that the service keeps of a file (contract, EntryImport). */
const MAX_COLUMNS = 1_000;
const MAX_HEADING_LENGTH = 1_000;
/** Characters of the cells of a row: with its values they fit into a part of the upload (contract, putJobPart: 8 MiB). */
const MAX_CELLS_LENGTH = 1_000_000;

const areStorable = (cells: readonly string[]): boolean =>
  cells.reduce((sum, { length }) => sum + length, 0) <= MAX_CELLS_LENGTH;

/** The text without characters that the service refuses, also in columns that are not imported. */
const toStorableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Headings of a file as the service keeps them; undefined for a file with more or longer ones. */
export const toStoredColumns = (headings: readonly string[]): string[] | undefined =>
  headings.length <= MAX_COLUMNS && headings.every(({ length }) => length <= MAX_HEADING_LENGTH)
    ? headings.map(toStorableText)
    : undefined;

/** A value with numbers of items instead of rows of the file. */
function toCell(
  { fieldId, value, currencyCode, rowOrder }: FieldWrite,
  numbers: ReadonlyMap<number, number>,
): JobCellValue {
  const toReference = (id: number): number => (id < 0 ? -(numbers.get(-id) ?? 0) : id);
  const resolved = Array.isArray(value)
    ? value.map(toReference)
    : typeof value === 'number'
      ? toReference(value)
      : value;
  return {
    fieldId,
    // Negative numbers of other fields are no rows.
    value: rowOrder === undefined ? value : resolved,
    ...(currencyCode !== undefined && { currencyCode }),
  };
}

function toExpected(fieldId: number, value: StoredValue | undefined): JobCellValue {
  if (value === undefined) return { fieldId, value: null };
  if (typeof value !== 'object') return { fieldId, value };
  if (!('currencyCode' in value)) return { fieldId, value: [...value] };
  const { value: amount, currencyCode } = value;
  return { fieldId, value: amount, ...(currencyCode !== undefined && { currencyCode }) };
}

/** Plans in the order of the file, but each after the rows that it refers to, as far as they do not refer to each other. */
function orderPlans(plans: readonly Plan[]): readonly Plan[] {
  const byRow = new Map(plans.map((plan) => [plan.row, plan]));
  const getReferences = ({ work }: Plan, isIncluded: (item: FieldWrite) => boolean): Plan[] =>
    work.items
      .filter((item) => item.rowOrder !== undefined && isIncluded(item))
      .flatMap(({ value }) => getReferencedRows(value))
      .flatMap((row) => byRow.get(row) ?? []);
  return findComponents(plans, (plan) => getReferences(plan, () => true)).flatMap((component) => {
    if (component.length === 1) return component;
    // Rows that refer to each other: references without which an entry cannot be created have no circles.
    const members = new Set(component);
    return findComponents(component, (plan) =>
      getReferences(plan, ({ rowOrder }) => rowOrder === 'first').filter((other) => members.has(other)),
    ).flat();
  });
}

/**
 * Groups of nodes that refer to each other, directly or indirectly; a group comes after those that it refers to (Tarjan). Iterative,
 * because chains of references can be as long as the file.
 */
function findComponents<Node>(nodes: readonly Node[], getTargets: (node: Node) => readonly Node[]): Node[][] {
  const components: Node[][] = [];
  const visits = new Map<Node, { index: number; low: number; isOpen: boolean }>();
  const open: Node[] = [];
  const visit = (node: Node) => {
    const state = { index: visits.size, low: visits.size, isOpen: true };
    visits.set(node, state);
    open.push(node);
    return { node, state, targets: getTargets(node).values() };
  };
  const close = (node: Node): void => {
    const component = open.splice(open.lastIndexOf(node));
    for (const member of component) {
      const state = visits.get(member);
      if (state) state.isOpen = false;
    }
    // In the order of the file.
    components.push(component);
  };
  for (const root of nodes) {
    if (visits.has(root)) continue;
    const path = [visit(root)];
    for (let frame = path.at(-1); frame; frame = path.at(-1)) {
      const { node, state, targets } = frame;
      const { value: target, done } = targets.next();
      const known = done || target === undefined ? undefined : visits.get(target);
      if (known?.isOpen) state.low = Math.min(state.low, known.index);
      if (!done && target !== undefined && !known) path.push(visit(target));
      if (!done) continue;
      path.pop();
      const parent = path.at(-1);
      if (parent) parent.state.low = Math.min(parent.state.low, state.low);
      if (state.low === state.index) close(node);
    }
  }
  return components;
}
