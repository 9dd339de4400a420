import type { Row } from '../../../files/parse.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../model/schema.ts';
import { bookOf } from './book.ts';
import type { Book, Named } from './book.ts';
import type { Entry } from './check.ts';
import { columnsOf } from './columns.ts';
import { canHold } from './rows-among.ts';
import type { Rules } from './rules.ts';
import type { Held } from './stored.ts';
import type { Mapping } from './targets.ts';
import { readRow } from './wish.ts';
import type { Wish } from './wish.ts';

/** What the rows are checked against. */
export interface Question {
  fields: readonly Field[];
  mapping: Mapping;
  rules: Rules;
  /** What tells entries apart: `EntryId`, the apiName of a field, or nothing, where all rows are new. */
  key: string;
}

export const NO_BOOK = bookOf([]);
// A longer text cannot be asked for (the bound of a row query).
export const MOST_KEY = 10_000;

/** A value of the key as values are told apart by it. */
export const foldKey = (value: Held | undefined): string | number | undefined =>
  typeof value === 'string' ? value.toLowerCase() : typeof value === 'number' ? value : undefined;

/** The fields that decide whether a row can be stored: those of the file, and what they depend on. */
export function comparedFields({ fields, mapping }: Question): readonly Field[] {
  const { fields: inFile } = columnsOf(mapping, fields);
  const ids = new Set(inFile.map(({ field }) => field.id));
  for (const { requiredWhen } of fields)
    for (const { fieldId } of requiredWhen?.conditions ?? []) ids.add(fieldId);
  return fields.filter(
    ({ id, isKey, isRequired, requiredWhen }) => isKey || isRequired || requiredWhen || ids.has(id),
  );
}

/** What tells the entry of a row apart; undefined where the row does not say it. */
export const keyIn = (wish: Wish, { fields, key }: Question): string | number | undefined => {
  if (key === ENTRY_ID) return wish.entryId;
  const field = fields.find(({ apiName }) => apiName === key);
  return field && foldKey(wish.wanted.get(field.id)?.held);
};

/** The rows as entries that other rows can name: by their names, and by the key that tells entries apart. */
export function namedRows(
  rows: readonly Row[],
  question: Question,
  entries: ReadonlyMap<string | number, readonly Entry[]>,
): Named[] {
  const { fields, mapping, rules, key } = question;
  const columns = columnsOf(mapping, fields);
  if (!columns.fields.some(({ field }) => canHold(field, field.entryTypeId))) return [];
  const name = fields.find(({ isKey }) => isKey);
  const own = fields.filter((field) => field === name || field.apiName === key);
  const short = columnsOf(mapping, own);
  return rows.flatMap((row) => {
    const wish = readRow(row, short, rules, () => NO_BOOK);
    const value = keyIn(wish, question);
    const entry = value === undefined ? undefined : entries.get(value)?.[0];
    const said = (field: Field | undefined): string => {
      const held = field && (wish.wanted.get(field.id)?.held ?? entry?.held.get(field.id));
      return typeof held === 'string' || typeof held === 'number' ? String(held) : '';
    };
    const called = said(name);
    const also = said(own.find((field) => field !== name));
    if (called === '' && also === '') return [];
    const id = entry?.id ?? -row.row;
    return called === '' ? [{ id, name: also }] : [{ id, name: called, ...(also !== '' && { also }) }];
  });
}

/** What the rows say; without the key nobody knows which entries they are about. */
export function wishesOf(
  rows: readonly Row[],
  question: Question,
  bookOfField: (field: Field) => Book,
): Wish[] {
  const columns = columnsOf(question.mapping, question.fields);
  const keyed = question.fields.find(({ apiName }) => apiName === question.key);
  return rows.map((row) => {
    const wish = readRow(row, columns, question.rules, bookOfField);
    const held = keyed && wish.wanted.get(keyed.id)?.held;
    if (!keyed || wish.faults.some(({ field }) => field === undefined || field === keyed.apiName))
      return wish;
    if (held === undefined)
      wish.faults.push({ field: keyed.apiName, message: 'Is empty: which entry it is about is not known' });
    else if (typeof held === 'string' && held.length > MOST_KEY)
      wish.faults.push({ field: keyed.apiName, message: 'Is too long to look for the entry by it' });
    return wish;
  });
}
