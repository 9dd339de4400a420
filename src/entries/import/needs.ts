import { FIELD } from '../../../contract/rules/fields.ts';
import { splitNames } from '../../import/name-list.ts';
import type { Row } from '../../import/parse.ts';
import type { Field } from '../schema.ts';
import type { Columns, FieldCells } from './columns.ts';
import { cellsOf } from './wish.ts';

/** Entries that cells name and that have to be looked up, for fields that refer to the same types. */
export interface NamedNeeds {
  /** Which types, as a key; none: any. */
  types: readonly number[];
  ids: number[];
  names: string[];
}

// Longer ones cannot be asked for (the bound of a row query).
const MOST_NAME = 10_000;
const IDS = /\d{1,10}/g;

/** The key of the types that a field refers to. */
export const typesKey = ({ entryLists }: Field): string =>
  (entryLists ?? []).toSorted((a, b) => a - b).join();

function readNeeds(rows: readonly Row[], place: FieldCells, ids: Set<number>, names: Map<string, string>) {
  const { field } = place;
  for (const { cells } of rows) {
    const { all, isEmpty } = cellsOf(cells, place);
    if (isEmpty) continue;
    const said = field.isMultiSelect ? splitNames(all.value) : [all.value.trim()];
    const numbers = all.id.trim() === '' ? said.filter((text) => /^#?\d{1,10}$/.test(text)) : [all.id];
    for (const number of numbers.join(' ').match(IDS) ?? []) if (Number(number) > 0) ids.add(Number(number));
    // Where ids stand beside names, they are what counts.
    if (all.id.trim() !== '') continue;
    for (const name of said) if (name !== '' && name.length <= MOST_NAME) names.set(name.toLowerCase(), name);
  }
}

/** What has to be looked up before references of these rows can be read. */
export function referenceNeeds(rows: readonly Row[], { fields }: Columns): readonly NamedNeeds[] {
  const references = fields.filter(({ field }) => field.fieldType === FIELD.reference);
  return [...Map.groupBy(references, ({ field }) => typesKey(field)).values()].map((places) => {
    const ids = new Set<number>();
    const names = new Map<string, string>();
    for (const place of places) readNeeds(rows, place, ids, names);
    return { types: places[0]?.field.entryLists ?? [], ids: [...ids], names: [...names.values()] };
  });
}
