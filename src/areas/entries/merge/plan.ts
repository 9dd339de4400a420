import { isFileField } from '../../../../contract/rules/fields.ts';
import type { FieldValue, RowVm, StoreRequestVm } from '../../../api/generated/types.gen.ts';
import { sameValue, writtenOf } from '../editing/written.ts';
import type { Field } from '../model/schema.ts';
import { itemsOf, valueIn } from '../model/values.ts';

/** Whose value of a field the entry that stays will have; `all` puts the values of all of them together. */
export type Choice = number | 'all';
export type Choices = ReadonlyMap<number, Choice>;

/** Whether a value can be taken over by writing it: files, counted and calculated fields cannot. */
const isWritable = (field: Field): boolean => field.isStoreRequestSupported && !isFileField(field.fieldType);

/** The fields in which the entries differ, those that can be chosen first. */
export function differingFields(rows: readonly RowVm[], fields: readonly Field[]) {
  const [first, ...others] = rows;
  const differing = fields.filter((field) =>
    others.some((row) => first && !sameValue(valueIn(row, field), valueIn(first, field))),
  );
  return {
    chosen: differing.filter(isWritable),
    kept: differing.filter((field) => !isWritable(field)),
    same: fields.length - differing.length,
  };
}

/** The values of a field of several, of all entries together, each once. */
function together(rows: readonly RowVm[], field: Field): FieldValue | undefined {
  const items = rows.flatMap((row) => itemsOf(valueIn(row, field)));
  const known = new Map(items.map((item) => [JSON.stringify(writtenOf(item).value), item]));
  return known.size === 0 ? undefined : [...known.values()];
}

/** Whose value it is before somebody chooses: that of the entry that stays or, where it has none, the first there is. */
export function choiceOf(field: Field, choices: Choices, stays: RowVm, rows: readonly RowVm[]): Choice {
  const chosen = choices.get(field.id);
  if (chosen !== undefined) return chosen;
  if (itemsOf(valueIn(stays, field)).length > 0) return stays.EntryId;
  return rows.find((row) => itemsOf(valueIn(row, field)).length > 0)?.EntryId ?? stays.EntryId;
}

/** The value that the entry that stays will have. */
export function outcomeOf(field: Field, choices: Choices, stays: RowVm, rows: readonly RowVm[]) {
  const choice = choiceOf(field, choices, stays, rows);
  if (choice === 'all') return together([stays, ...rows.filter((row) => row !== stays)], field);
  const from = rows.find(({ EntryId }) => EntryId === choice) ?? stays;
  return valueIn(from, field);
}

/** What has to be written into the entry that stays; refused where somebody has changed it meanwhile (`expected`). */
export function requestsFor(
  fields: readonly Field[],
  choices: Choices,
  stays: RowVm,
  rows: readonly RowVm[],
): StoreRequestVm[] {
  return fields.flatMap((field) => {
    const before = valueIn(stays, field);
    const after = outcomeOf(field, choices, stays, rows);
    if (sameValue(before, after)) return [];
    return [
      {
        entryId: stays.EntryId,
        fieldId: field.id,
        ...writtenOf(after),
        expected: writtenOf(before),
        // Of the duplicates one has this name already.
        ...(field.isKey && { ignoreNearDups: true }),
      },
    ];
  });
}
