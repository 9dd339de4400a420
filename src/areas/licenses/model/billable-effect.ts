import { licenseType } from '../../../../contract/rules/licenses.ts';
import { count } from '../../../lib/numbers.ts';

const billed = (licenseTypeId: number | null | undefined): number =>
  licenseType(licenseTypeId ?? 0)?.isBillable ? 1 : 0;

/** By how much the bill grows or shrinks when one license takes the place of another: 1, 0 or -1. */
export const billableChange = (from: number | null | undefined, to: number): number =>
  billed(to) - billed(from);

const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

/** A difference with its sign, and a true minus. */
export const difference = (value: number): string => signed.format(value).replace('-', '−');

/** What a choice would do to the bill; `total`: how many are billed now, if that is known. */
export function billableHint(from: number, to: number, total: number | undefined): string {
  const change = billableChange(from, to);
  if (change === 0) return billed(to) ? 'Billable, as before' : 'Not billable, as before';
  const kind = `${difference(change)} billable`;
  return total === undefined ? kind : `${kind}: ${count(total + change)} after this, ${count(total)} now`;
}
