import { findLicenseType, getBillableChange } from '../../../../contract/rules/people/licenses.ts';
import { formatDifference, formatNumber } from '../../../lib/numbers.ts';

/** Effect of a license on billing. @param total number of billable licenses now, if known */
export function formatBillableHint(from: number, to: number, total: number | undefined): string {
  const change = getBillableChange(from, to);
  if (change === 0)
    return findLicenseType(to)?.isBillable ? 'Billable, as before' : 'Not billable, as before';
  const kind = `${formatDifference(change)} billable`;
  return total === undefined
    ? kind
    : `${kind}: ${formatNumber(total + change)} after this, ${formatNumber(total)} now`;
}
