import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/fields.ts';
import type { Field } from '../model/schema.ts';

/** The heading of the entries' own numbers. */
export const ENTRY_ID = 'EntryId';

/** Which part of a value a column holds. */
export type Part = 'value' | 'id' | 'currency';

const SUFFIX: Readonly<Record<Part, string>> = { value: '', id: ' (id)', currency: ' (currency)' };

/** The columns that a field takes: names and ids of what it refers to, amounts and their currencies. */
export function partsOf(field: Field): readonly Part[] {
  if (field.fieldType === FIELD.reference || field.fieldType === FIELD.user) return ['value', 'id'];
  return holdsMoney(field) ? ['value', 'currency'] : ['value'];
}

const hasZone = ({ fieldType, isDateOnly }: Field): boolean => fieldType === FIELD.date && !isDateOnly;

const headingOf = (name: string, part: Part, field: Field, zone: string): string =>
  `${name}${SUFFIX[part]}${hasZone(field) ? ` (${zone})` : ''}${isFileField(field.fieldType) ? ' (files)' : ''}`;

/**
 * How the columns of fields are headed: as the fields are called, or by their apiNames where two columns would be called
 * alike. Moments say in which zone they are told.
 */
export function headingsOf(fields: readonly Field[], zone: string): (field: Field, part: Part) => string {
  const times = new Map([[ENTRY_ID.toLowerCase(), 1]]);
  const all = fields.flatMap((field) =>
    partsOf(field).map((part) => headingOf(field.name.trim(), part, field, zone).toLowerCase()),
  );
  for (const heading of all) times.set(heading, (times.get(heading) ?? 0) + 1);
  const apiNames = new Map(fields.map(({ apiName, id }) => [apiName.toLowerCase(), id]));
  const isAlone = (field: Field) =>
    (apiNames.get(field.name.trim().toLowerCase()) ?? field.id) === field.id &&
    partsOf(field).every(
      (part) => times.get(headingOf(field.name.trim(), part, field, zone).toLowerCase()) === 1,
    );
  return (field, part) => headingOf(isAlone(field) ? field.name.trim() : field.apiName, part, field, zone);
}
