import type { UserInfoResponse } from '../../generated/types.gen.ts';
import { findLicenseType } from '../people/licenses.ts';
import type { ExportCell } from './cells.ts';
import { formatNameList } from './name-list.ts';

/** Headings of the template of an import and of exports, and labels of the fields of users. */
export const HEADINGS = {
  id: 'Id',
  email: 'E-mail',
  firstName: 'First name',
  lastName: 'Last name',
  isActive: 'Status',
  licenseTypeId: 'License',
  groups: 'Groups',
  twoFactorEnabled: 'Two-factor',
  ipRestrictionsEnabled: 'Approved addresses',
  timeZone: 'Time zone',
  federationId: 'Federation id',
} as const;

/** Headings of exports that are ignored because the service sets the values. */
export const READ_ONLY_HEADINGS = ['Created', 'Modified'] as const;

/** User with the properties that an export contains. */
type UserExportRow = Pick<
  UserInfoResponse,
  | 'id'
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'isActive'
  | 'groups'
  | 'twoFactorEnabled'
  | 'ipRestrictionsEnabled'
  | 'timeZone'
  | 'createdDate'
  | 'modifiedDate'
  | 'federationId'
> & { licenseTypeId: number | undefined };

/** Names of groups by id. */
type GroupNames = ReadonlyMap<number, string>;

interface UserColumn {
  heading: string;
  /** Column width of a worksheet, in characters. */
  width: number;
  cell: (row: UserExportRow, groups: GroupNames) => ExportCell;
}

const yesNo = (on: boolean | undefined): string => (on ? 'Yes' : 'No');
const createColumn = (key: keyof typeof HEADINGS, width: number, cell: UserColumn['cell']): UserColumn => ({
  heading: HEADINGS[key],
  width,
  cell,
});
const [CREATED, MODIFIED] = READ_ONLY_HEADINGS;

const COLUMNS: readonly UserColumn[] = [
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
  createColumn('twoFactorEnabled', 11, ({ twoFactorEnabled }) => yesNo(twoFactorEnabled)),
  createColumn('ipRestrictionsEnabled', 19, ({ ipRestrictionsEnabled }) => yesNo(ipRestrictionsEnabled)),
  createColumn('timeZone', 22, ({ timeZone }) => timeZone ?? ''),
  { heading: CREATED, width: 18, cell: ({ createdDate }) => new Date(createdDate) },
  { heading: MODIFIED, width: 18, cell: ({ modifiedDate }) => new Date(modifiedDate) },
];

const FEDERATION_COLUMN = createColumn('federationId', 26, ({ federationId }) => federationId ?? '');

/** Columns of an export of users, which can be imported again. */
export const getUserColumns = (withFederationIds: boolean): readonly UserColumn[] =>
  withFederationIds ? [...COLUMNS, FEDERATION_COLUMN] : COLUMNS;
