import { FIELD, isFileField } from '../../../contract/rules/fields.ts';
import type { Draft } from './draft.ts';
import type { Slot } from './schema.ts';

const NUMBER_SLOTS = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11', 'n12'] as const;
const TEXT_SLOTS = ['t1', 't2', 't3', 't4', 't5', 't6'] as const;

type Slotted = Pick<Draft, 'fieldType' | 'isMultiSelect' | 'isKey'>;

/** The slots that a field may have; none for several values and files, which filters do not compare. */
function slotsFor({ fieldType, isMultiSelect, isKey }: Slotted): readonly Slot[] {
  if (isKey) return ['name'];
  if (isMultiSelect || isFileField(fieldType)) return [];
  return fieldType === FIELD.text ? TEXT_SLOTS : NUMBER_SLOTS;
}

/** The slot of a field: the one it has, if that still fits, else the first that no other field of the type has. */
export function slotFor(field: Slotted, has: Slot | null, taken: ReadonlySet<Slot>): Slot | null {
  const fitting = slotsFor(field);
  return fitting.find((slot) => slot === has) ?? fitting.find((slot) => !taken.has(slot)) ?? null;
}
