import type { DataRequestResultVm, FieldValue, RowVm } from '../../../api/generated/types.gen.ts';
import type { Field } from '../../../entries/schema.ts';
import { itemText, itemsOf, valueIn } from '../../../entries/values.ts';

/** Fields that were changed at one moment by one person, as far as the interface tells: the last change of each. */
export interface Moment {
  at: string;
  by: number | undefined;
  fieldIds: readonly number[];
}

/** The last changes of the fields, those of one moment and person together, the newest first. */
export function momentsOf(cells: readonly DataRequestResultVm[]): readonly Moment[] {
  const moments = new Map<string, Moment>();
  for (const { modified, modifiedBy, fieldId } of cells) {
    if (typeof modified !== 'string' || typeof fieldId !== 'number') continue;
    const by = modifiedBy ?? undefined;
    const key = `${modified} ${by ?? ''}`;
    const known = moments.get(key);
    moments.set(key, { at: modified, by, fieldIds: [...(known?.fieldIds ?? []), fieldId] });
  }
  return [...moments.values()].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** A value as one text; empty for no data. */
export const textOf = (value: FieldValue | undefined, field: Field): string =>
  itemsOf(value)
    .map((item) => itemText(item, field))
    .join(', ');

interface Difference {
  field: Field;
  before: string;
  after: string;
}

/** The fields that two rows tell differently; case counts: it is a change like any other. */
export const differencesOf = (before: RowVm, after: RowVm, fields: readonly Field[]): readonly Difference[] =>
  fields.flatMap((field) => {
    const pair = {
      field,
      before: textOf(valueIn(before, field), field),
      after: textOf(valueIn(after, field), field),
    };
    const same = JSON.stringify(valueIn(before, field)) === JSON.stringify(valueIn(after, field));
    return same || pair.before === pair.after ? [] : [pair];
  });
