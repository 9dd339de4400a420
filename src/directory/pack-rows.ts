import { toRow } from './engine/row.ts';
import type { DirectoryRow } from './engine/row.ts';

// A tuple takes a third of the text of an object with property names.
type PackedRow = [
  id: number,
  firstName: string,
  lastName: string,
  email: string,
  flags: number,
  licenseTypeId: number,
  created: string,
  modified: string,
  groups: readonly number[],
  timeZone: string | null,
];

const FLAGS = ['isActive', 'isLocked', 'twoFactor', 'approvedAddresses'] as const;
const UNKNOWN_LICENSE = 0;

const packFlags = (row: DirectoryRow): number =>
  FLAGS.reduce((flags, name, bit) => flags | (row[name] ? 1 << bit : 0), 0);
const hasFlag = (flags: number, name: (typeof FLAGS)[number]): boolean =>
  (flags & (1 << FLAGS.indexOf(name))) !== 0;

/** Packs a row as text; equal rows give equal texts. */
export const packRow = (row: DirectoryRow): string => {
  const packed: PackedRow = [
    row.id,
    row.firstName,
    row.lastName,
    row.email,
    packFlags(row),
    row.licenseTypeId ?? UNKNOWN_LICENSE,
    row.created,
    row.modified,
    row.groups,
    row.timeZone,
  ];
  return JSON.stringify(packed);
};

/** Packs rows as one text. */
export const pack = (rows: readonly DirectoryRow[]): string => `[${rows.map(packRow).join()}]`;

/** Unpacks the text of `pack`. */
export function unpack(text: string): DirectoryRow[] {
  const rows = JSON.parse(text) as PackedRow[];
  return rows.map(
    ([id, firstName, lastName, email, flags, licenseTypeId, createdDate, modifiedDate, groups, timeZone]) =>
      toRow(
        {
          id,
          firstName,
          lastName,
          email,
          isActive: hasFlag(flags, 'isActive'),
          isLocked: hasFlag(flags, 'isLocked'),
          twoFactorEnabled: hasFlag(flags, 'twoFactor'),
          ipRestrictionsEnabled: hasFlag(flags, 'approvedAddresses'),
          groups: [...groups],
          timeZone,
          createdDate,
          modifiedDate,
          createdBy: null,
          modifiedBy: null,
        },
        licenseTypeId === UNKNOWN_LICENSE ? undefined : licenseTypeId,
      ),
  );
}
