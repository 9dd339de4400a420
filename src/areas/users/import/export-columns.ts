import { findLicenseType } from '../../../../contract/rules/licenses.ts';
import type { ExportCell } from '../../../../contract/rules/tables/cells.ts';
import { formatNameList } from '../../../../contract/rules/tables/name-list.ts';
import { HEADINGS, READ_ONLY_HEADINGS } from './fields.ts';
import type { Field } from './fields.ts';
import type { KnownUser } from './plan.ts';

/** User with the properties that an export contains. */
export interface UserExportRow extends KnownUser {
  created: string;
  modified: string;
}

export type GroupNames = ReadonlyMap<number, string>;

interface ExportColumn {
  heading: string;
  /** Column width of a worksheet, in characters. */
  width: number;
  cell: (row: UserExportRow, groups: GroupNames) => ExportCell;
}

const yesNo = (on: boolean): string => (on ? 'Yes' : 'No');
const createColumn = (key: Field, width: number, cell: ExportColumn['cell']): ExportColumn => ({
  heading: HEADINGS[key],
  width,
  cell,
});
const [CREATED = '', MODIFIED = ''] = READ_ONLY_HEADINGS;

const COLUMNS: readonly ExportColumn[] = [
  createColumn('id', 10, ({ id }) => id),
  createColumn('email', 34, ({ email }) => email),
  createColumn('firstName', 18, ({ firstName }) => firstName),
  createColumn('lastName', 22, ({ lastName }) => lastName),
  createColumn('isActive', 10, ({ isActive }) => (isActive ? 'Active' : 'Inactive')),
  createColumn(
    'licenseTypeId',
    18,
    ({ licenseTypeId }) => findLicenseType(licenseTypeId ?? 0)?.description ?? '',
  ),
  // Deleted groups are exported by id; an import refuses them with a message.
  createColumn('groups', 40, ({ groups }, names) =>
    formatNameList(groups.map((id) => names.get(id) ?? String(id))),
  ),
  createColumn('twoFactorEnabled', 11, ({ twoFactor }) => yesNo(twoFactor)),
  createColumn('ipRestrictionsEnabled', 19, ({ approvedAddresses }) => yesNo(approvedAddresses)),
  createColumn('timeZone', 22, ({ timeZone }) => timeZone ?? ''),
  { heading: CREATED, width: 18, cell: ({ created }) => new Date(created) },
  { heading: MODIFIED, width: 18, cell: ({ modified }) => new Date(modified) },
];

const FEDERATION_COLUMN = createColumn('federationId', 26, ({ federationId }) => federationId ?? '');

/** Cells of a user in these columns. */
export const toExportCells = (
  row: UserExportRow,
  groups: GroupNames,
  withFederationId: boolean,
): ExportCell[] => getExportColumns(withFederationId).map(({ cell }) => cell(row, groups));

/** Columns of an export, which can be imported again. Federation ids only if they were loaded. */
export const getExportColumns = (withFederationId: boolean): readonly ExportColumn[] =>
  withFederationId ? [...COLUMNS, FEDERATION_COLUMN] : COLUMNS;
