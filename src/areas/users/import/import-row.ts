import type { UserImportRow, UserImportValues } from '../../../../contract/generated/types.gen.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { RowWork } from './plan.ts';

/** Changes of these fields open another way into the account or cannot be taken back (contract, x-step-up). */
const SIGN_IN_FIELDS = ['email', 'federationId', 'twoFactorEnabled', 'ipRestrictionsEnabled'] as const;

/** Item of the job for a planned row. */
export function toImportRow({ row, id, work }: ImportRowPlan<RowWork>): UserImportRow {
  const { create, update, before, licenseTypeId, licenseBefore, addGroups, removeGroups } = work;
  const license = licenseTypeId === undefined ? {} : { licenseTypeId };
  if (create) {
    const { groups, password: _password, ...set } = create;
    return { row, set, ...license, ...(groups && { addGroups: groups }) };
  }
  const { id: _id, groups: _groups, ...set } = update ?? { id };
  return {
    row,
    ...(id !== undefined && { userId: id }),
    ...(update && { set, expected: toExpected(before) }),
    ...license,
    ...(licenseBefore !== undefined && { expectedLicenseTypeId: licenseBefore }),
    ...(addGroups && { addGroups: [...addGroups] }),
    ...(removeGroups && { removeGroups: [...removeGroups] }),
  };
}

/** Values when the row was planned; a user without a federation id has none. */
const toExpected = ({ id: _id, groups: _groups, ...values }: NonNullable<RowWork['before']> = {}) => {
  const expected: UserImportValues = values;
  return values.federationId === '' ? { ...expected, federationId: null } : expected;
};

/** Whether rows change how existing users sign in, which requires proof of presence. */
export const changesSignIn = (rows: readonly UserImportRow[]): boolean =>
  rows.some(
    ({ userId, set }) => userId !== undefined && SIGN_IN_FIELDS.some((field) => set?.[field] !== undefined),
  );
