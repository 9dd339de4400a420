import { findLicenseType } from '../../../../contract/rules/licenses.ts';
import { formatNumber } from '../../../lib/numbers.ts';

const countBillable = (licenseTypeId: number | null | undefined): number =>
  findLicenseType(licenseTypeId ?? 0)?.isBillable ? 1 : 0;

/** Change in billable licenses when one license replaces another: 1, 0 or -1. */
export const getBillableChange = (from: number | null | undefined, to: number): number =>
  countBillable(to) - countBillable(from);

const signedFormat = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

/** Formats a difference with sign and a true minus. */
export const formatDifference = (value: number): string => signedFormat.format(value).replace('-', '−');

/** Effect of a license on billing. @param total number of billable licenses now, if known */
export function formatBillableHint(from: number, to: number, total: number | undefined): string {
  const change = getBillableChange(from, to);
  if (change === 0) return countBillable(to) ? 'Billable, as before' : 'Not billable, as before';
  const kind = `${formatDifference(change)} billable`;
  return total === undefined
    ? kind
    : `${kind}: ${formatNumber(total + change)} after this, ${formatNumber(total)} now`;
}
