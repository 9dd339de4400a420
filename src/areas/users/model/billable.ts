import { findLicenseType } from '../../../../contract/rules/licenses.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { formatNumber } from '../../../lib/numbers.ts';

const countBillable = (licenseTypeId: number | undefined): number =>
  findLicenseType(licenseTypeId ?? 0)?.isBillable ? 1 : 0;

/** Effect of a license on billing: "Billable. 412 billable after this." @param from the license it replaces */
export function useBillableEffect(licenseTypeId: number, from?: number): string {
  const { billable: now, complete } = useDirectory();
  const kind = countBillable(licenseTypeId) ? 'Billable.' : 'Not billable.';
  if (!complete || licenseTypeId === from) return kind;
  const after = now + countBillable(licenseTypeId) - countBillable(from);
  return after === now
    ? `${kind} ${formatNumber(now)} billable, as before.`
    : `${kind} ${formatNumber(after)} billable after this, ${formatNumber(now)} now.`;
}
