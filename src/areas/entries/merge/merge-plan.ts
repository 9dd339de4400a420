import type { FieldValue, RowVm, StoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import { isFileField } from '../../../../contract/rules/schema/fields.ts';
import type { Field } from '../model/schema.ts';
import { isSameValue, toRequestValue, toItems, getValue } from '../model/values.ts';

/** Id of the entry whose value is kept; `all` joins the values of all entries. */
export type ValueChoice = number | 'all';
export type ValueChoices = ReadonlyMap<number, ValueChoice>;

/** Whether a value can be copied to another entry; files, counters and calculated fields cannot. */
const isWritable = (field: Field): boolean => field.isStoreRequestSupported && !isFileField(field.fieldType);

/** Compares the entries: differing fields whose value can be selected, other differing ones, and the number of equal ones. */
export function compareFields(rows: readonly RowVm[], fields: readonly Field[]) {
  const [first, ...others] = rows;
  const differing = fields.filter((field) =>
    others.some((row) => first && !isSameValue(getValue(row, field), getValue(first, field))),
  );
  return {
    selectableFields: differing.filter(isWritable),
    fixedFields: differing.filter((field) => !isWritable(field)),
    equalCount: fields.length - differing.length,
  };
}

/** The values of a multi-select field of all entries without duplicates. */
function unionValues(rows: readonly RowVm[], field: Field): FieldValue | undefined {
  const items = rows.flatMap((row) => toItems(getValue(row, field)));
  const valuesByKey = new Map(items.map((item) => [JSON.stringify(toRequestValue(item).value), item]));
  return valuesByKey.size === 0 ? undefined : [...valuesByKey.values()];
}

/**
 * The selected value of a field, unless its entry was left out of the merge; by default that of the target or, if it has none,
 * the first one.
 */
export function getChoice(
  field: Field,
  choices: ValueChoices,
  target: RowVm,
  rows: readonly RowVm[],
): ValueChoice {
  const selected = choices.get(field.id);
  if (selected === 'all') return selected;
  const selectedRow = rows.find(({ EntryId }) => EntryId === selected);
  if (selectedRow) return selectedRow.EntryId;
  if (toItems(getValue(target, field)).length > 0) return target.EntryId;
  return rows.find((row) => toItems(getValue(row, field)).length > 0)?.EntryId ?? target.EntryId;
}

/** The value of a field after the merge. */
export function getMergedValue(field: Field, choices: ValueChoices, target: RowVm, rows: readonly RowVm[]) {
  const choice = getChoice(field, choices, target, rows);
  if (choice === 'all') return unionValues([target, ...rows.filter((row) => row !== target)], field);
  const source = rows.find(({ EntryId }) => EntryId === choice) ?? target;
  return getValue(source, field);
}

/** Builds the requests that write the selected values into the target; `expected` detects conflicts. */
export function buildMergeRequests(
  fields: readonly Field[],
  choices: ValueChoices,
  stays: RowVm,
  rows: readonly RowVm[],
): StoreRequestVm[] {
  return fields.flatMap((field) => {
    const before = getValue(stays, field);
    const after = getMergedValue(field, choices, stays, rows);
    if (isSameValue(before, after)) return [];
    return [
      {
        entryId: stays.EntryId,
        fieldId: field.id,
        ...toRequestValue(after),
        expected: toRequestValue(before),
        // Another of the duplicates has this name already.
        ...(field.isKey && { ignoreNearDups: true }),
      },
    ];
  });
}
