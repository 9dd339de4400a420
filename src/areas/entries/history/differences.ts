import type { FieldValue, GoneField, RowVm } from '../../../api/generated/types.gen.ts';
import { isKnown } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';

/** A value as one text; empty for no data. */
export const textOf = (value: FieldValue | undefined, field: Field): string =>
  itemsOf(value)
    .map((item) => itemText(item, field))
    .join(', ');

/** A field that two rows tell differently. */
export interface Difference {
  field: Field;
  before: FieldValue | undefined;
  after: FieldValue | undefined;
  /** The type has the field no more. */
  isGone?: boolean;
}

const same = (one: FieldValue | undefined, other: FieldValue | undefined): boolean =>
  JSON.stringify(itemsOf(one)) === JSON.stringify(itemsOf(other));

/** The fields that two rows tell differently; letters of another case are a change like any other (spec 4.4). */
export const differencesOf = (
  before: RowVm | undefined,
  after: RowVm | undefined,
  fields: readonly Field[],
): readonly Difference[] =>
  fields.flatMap((field) => {
    const pair = {
      field,
      before: before && valueIn(before, field),
      after: after && valueIn(after, field),
    };
    return same(pair.before, pair.after) ? [] : [pair];
  });

/** Whether two texts differ in nothing but the case of letters: easily overlooked, so it is said. */
export function isCaseOnly({ before, after }: Pick<Difference, 'before' | 'after'>): boolean {
  if (typeof before !== 'string' || typeof after !== 'string' || before === after) return false;
  return before.toLowerCase() === after.toLowerCase();
}

/** Values of fields that the type has no more, under the names they had. */
export const goneDifferences = (
  gone: readonly GoneField[] = [],
  [likeness]: readonly Field[],
): readonly Difference[] =>
  gone.flatMap(({ before, after, ...told }) => {
    const field = likeness && { ...likeness, ...told, apiName: `$${told.id}` };
    return field && isKnown(field) ? [{ field, before, after, isGone: true }] : [];
  });
