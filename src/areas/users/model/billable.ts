import { licenseType } from '../../../../contract/rules/licenses.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { count } from '../../../lib/numbers.ts';

const billed = (licenseTypeId: number | undefined): number =>
  licenseType(licenseTypeId ?? 0)?.isBillable ? 1 : 0;

/** What a license does to the bill, in numbers: "Billable. 412 billable after this." `from`: the one it replaces. */
export function useBillableEffect(licenseTypeId: number, from?: number): string {
  const { billable: now, complete } = useDirectory();
  const kind = billed(licenseTypeId) ? 'Billable.' : 'Not billable.';
  if (!complete || licenseTypeId === from) return kind;
  const after = now + billed(licenseTypeId) - billed(from);
  return after === now
    ? `${kind} ${count(now)} billable, as before.`
    : `${kind} ${count(after)} billable after this, ${count(now)} now.`;
}
