import { FIELD } from '../../../../contract/rules/fields.ts';
import { TOO_LONG } from '../../../files/sheet-text.ts';
import type { Row } from '../../../files/parse.ts';
import type { Fault } from '../../import/plan.ts';
import type { Field } from '../model/schema.ts';
import { readIdNumber } from './book.ts';
import type { Book } from './book.ts';
import type { Columns, FieldCells } from './columns.ts';
import { readCells } from './read-cells.ts';
import type { Cells, Wanted } from './read-cells.ts';
import type { Rules } from './rules.ts';

/** What a row says. */
export interface Wish {
  row: number;
  entryId: number | undefined;
  /** By the field's id: what it is to hold; undefined clears it. A field that the row leaves alone is absent. */
  wanted: Map<number, Wanted | undefined>;
  faults: Fault[];
}

/** The cells of a field, and whether they are empty: of a text spaces are something. */
export function cellsOf(cells: readonly string[], { field, value, id, currency }: FieldCells) {
  const at = (place: number | undefined) => (place === undefined ? '' : (cells[place] ?? ''));
  const all: Cells = { value: at(value), id: at(id), currency: at(currency) };
  const isText = field.fieldType === FIELD.text;
  const isEmpty = isText ? all.value === '' : all.value.trim() === '' && all.id.trim() === '';
  return { all, isEmpty };
}

/** Reads a row by its columns. */
export function readRow(
  { row, cells, broken }: Row,
  { entryId, fields }: Columns,
  rules: Rules,
  bookOf: (field: Field) => Book,
): Wish {
  const wish: Wish = { row, entryId: undefined, wanted: new Map(), faults: [] };
  if (broken !== undefined) return { ...wish, faults: [{ field: undefined, message: broken }] };
  const said = entryId === undefined ? '' : (cells[entryId] ?? '');
  if (said.trim() !== '') {
    const read = readIdNumber(said, 'an entry');
    if ('fault' in read) wish.faults.push({ field: 'EntryId', message: read.fault });
    else wish.entryId = read.value;
  }
  for (const place of fields) {
    const { field } = place;
    const { all, isEmpty } = cellsOf(cells, place);
    if (all.value === TOO_LONG) continue;
    if (isEmpty) {
      if (rules.empty === 'clear') wish.wanted.set(field.id, undefined);
      continue;
    }
    const read = readCells(all, field, rules, bookOf(field));
    if ('fault' in read) wish.faults.push({ field: field.apiName, message: read.fault });
    else wish.wanted.set(field.id, read.value);
  }
  return wish;
}
