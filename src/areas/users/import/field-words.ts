import { licenseType } from '../../../../contract/rules/licenses.ts';

/** Values of fields as the page shows them before and after. */
export const licenseWord = (id: number | undefined): string => licenseType(id ?? 0)?.description ?? '';
export const statusWord = (isActive: boolean): string => (isActive ? 'Active' : 'Inactive');
export const switchWord = (on: boolean): string => (on ? 'On' : 'Off');
