import { findLicenseType, getBillableChange } from '../../../../contract/rules/people/licenses.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { formatNumber } from '../../../lib/numbers.ts';

/** Effect of a license on billing: "Billable. 412 billable after this." @param from the license it replaces */
export function useBillableEffect(licenseTypeId: number, from?: number): string {
  const { billable: now, complete } = useDirectory();
  const kind = findLicenseType(licenseTypeId)?.isBillable ? 'Billable.' : 'Not billable.';
  if (!complete || licenseTypeId === from) return kind;
  const after = now + getBillableChange(from, licenseTypeId);
  return after === now
    ? `${kind} ${formatNumber(now)} billable, as before.`
    : `${kind} ${formatNumber(after)} billable after this, ${formatNumber(now)} now.`;
}
