import { licenseType } from '../../../contract/rules/licenses.ts';
import type { ExportCell } from '../../files/cells.ts';
import { HEADINGS, TOLD_BY_SERVICE } from '../users/import/fields.ts';
import type { Field } from '../users/import/fields.ts';
import { joinNames } from '../../files/name-list.ts';

/** Somebody as an export tells about them. */
export interface ExportRow {
  id: number;
  email: string;
  firstName: string;
  lastName: string;
  isActive: boolean;
  licenseTypeId: number | undefined;
  groups: readonly number[];
  twoFactor: boolean;
  approvedAddresses: boolean;
  created: string;
  modified: string;
  federationId?: string | undefined;
}

export type GroupNames = ReadonlyMap<number, string>;

interface ExportColumn {
  heading: string;
  /** In characters, for a sheet. */
  width: number;
  cell: (row: ExportRow, groups: GroupNames) => ExportCell;
}

const yesNo = (on: boolean): string => (on ? 'Yes' : 'No');
const field = (key: Field, width: number, cell: ExportColumn['cell']): ExportColumn => ({
  heading: HEADINGS[key],
  width,
  cell,
});
const [CREATED = '', MODIFIED = ''] = TOLD_BY_SERVICE;

const COLUMNS: readonly ExportColumn[] = [
  field('id', 10, ({ id }) => id),
  field('email', 34, ({ email }) => email),
  field('firstName', 18, ({ firstName }) => firstName),
  field('lastName', 22, ({ lastName }) => lastName),
  field('isActive', 10, ({ isActive }) => (isActive ? 'Active' : 'Inactive')),
  field('licenseTypeId', 18, ({ licenseTypeId }) => licenseType(licenseTypeId ?? 0)?.description ?? ''),
  // A group that has gone since is told by its number, which an import refuses in words.
  field('groups', 40, ({ groups }, names) => joinNames(groups.map((id) => names.get(id) ?? String(id)))),
  field('twoFactorEnabled', 11, ({ twoFactor }) => yesNo(twoFactor)),
  field('ipRestrictionsEnabled', 19, ({ approvedAddresses }) => yesNo(approvedAddresses)),
  { heading: CREATED, width: 18, cell: ({ created }) => new Date(created) },
  { heading: MODIFIED, width: 18, cell: ({ modified }) => new Date(modified) },
];

const FEDERATION = field('federationId', 26, ({ federationId }) => federationId ?? '');

/** Somebody as the cells of these columns. */
export const cellsOf = (row: ExportRow, groups: GroupNames, federation: boolean): ExportCell[] =>
  exportColumns(federation).map(({ cell }) => cell(row, groups));

/** The columns of an export; a file of them can be imported again. Federation ids only where they were read. */
export const exportColumns = (federation: boolean): readonly ExportColumn[] =>
  federation ? [...COLUMNS, FEDERATION] : COLUMNS;
