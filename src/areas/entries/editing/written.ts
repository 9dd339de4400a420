import type { FieldValue, FieldValueItem, StoreRequestVm } from '../../../api/generated/types.gen.ts';
import { itemsOf } from '../model/values.ts';

type Scalar = string | number | boolean;

/** A value as a request has it: ids for choices, references and users; null clears (shapes 4). */
export type Written = Required<Pick<StoreRequestVm, 'value'>> & { currencyCode?: string };

function scalarOf(item: FieldValueItem): Scalar {
  if (item === null) return '';
  if (typeof item !== 'object') return item;
  return 'currencyCode' in item ? item.value : item.id;
}

/** What has to be written so that a field holds what was read. */
export function writtenOf(value: FieldValue | undefined): Written {
  const items = itemsOf(value);
  const [first] = items;
  if (first === undefined) return { value: null };
  if (Array.isArray(value)) return { value: items.map(scalarOf) };
  const isMoney = typeof first === 'object' && first !== null && 'currencyCode' in first;
  return { value: scalarOf(first), ...(isMoney && { currencyCode: first.currencyCode }) };
}

// Several values have no order, and one of several is told bare or in a list.
function canonical(value: FieldValue | undefined): string {
  const { value: written, currencyCode } = writtenOf(value);
  const items = [written].flat().map((one) => JSON.stringify(one));
  return JSON.stringify([items.toSorted(byUnits), currencyCode]);
}

const byUnits = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Whether a field holds the same with the one as with the other; letters of another case are another text (spec 4.4). */
export const sameValue = (a: FieldValue | undefined, b: FieldValue | undefined): boolean =>
  a === b || canonical(a) === canonical(b);
