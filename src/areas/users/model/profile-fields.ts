import { z } from 'zod';
import type { UserInfo, UserInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { zNewUserInfo } from '../../../api/generated/zod.gen.ts';

export const PROFILE_FIELDS = ['firstName', 'lastName', 'email', 'federationId', 'timeZone'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];
export type ProfileValues = Record<ProfileField, string>;

export const PROFILE_LABELS: ProfileValues = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  federationId: 'Federation id',
  timeZone: 'Time zone',
};

/** Form schema, following the contract. */
export const profileSchema = zNewUserInfo
  .pick({ firstName: true, lastName: true, email: true })
  .extend({ federationId: zNewUserInfo.shape.federationId.unwrap(), timeZone: z.string() });

export const toProfileValues = ({
  firstName,
  lastName,
  email,
  federationId,
  timeZone,
}: UserInfoResponse): ProfileValues => ({
  firstName,
  lastName,
  email,
  federationId: federationId ?? '',
  timeZone: timeZone ?? '',
});

/** Fields that null clears; the form holds an empty text. */
const CLEARABLE_FIELDS: ReadonlySet<ProfileField> = new Set(['federationId', 'timeZone']);

/** Changed fields only: an omitted field keeps its value (shapes 2). */
export function getProfileChanges(base: ProfileValues, values: ProfileValues): Omit<UserInfo, 'id'> {
  const changed = PROFILE_FIELDS.filter((field) => values[field] !== base[field]);
  return Object.fromEntries(
    changed.map((field) => [
      field,
      values[field] === '' && CLEARABLE_FIELDS.has(field) ? null : values[field],
    ]),
  );
}

/** Describes changes by others to properties outside the form. */
export function formatOtherChanges(before: UserInfoResponse, after: UserInfoResponse): string[] {
  const words: [keyof UserInfoResponse, string][] = [
    ['isActive', after.isActive ? 'is active now' : 'is inactive now'],
    ['groups', 'belongs to other groups'],
    ['twoFactorEnabled', 'two-factor authentication is on'],
    ['ipRestrictionsEnabled', 'signs in only from approved addresses'],
  ];
  return words
    .filter(([key]) => String(before[key]) !== String(after[key]))
    .map(([, fieldErrors]) => fieldErrors);
}

/** Field that two users changed to different values. */
export interface FieldConflict<Field extends string> {
  field: Field;
  theirs: string;
  mine: string;
}

export interface MergeResult<Field extends string> {
  /** Fields changed by both; the user decides. */
  conflicts: readonly FieldConflict<Field>[];
  /** Fields changed only by others; accepted as they are. */
  merged: readonly { field: Field; theirs: string }[];
}

type Values<Field extends string> = Readonly<Record<Field, string>>;

/** Compares own and stored changes with the values at the start of editing. */
export function mergeFields<Field extends string>(
  fields: readonly Field[],
  { base, mine, theirs }: { base: Values<Field>; mine: Values<Field>; theirs: Values<Field> },
): MergeResult<Field> {
  const changed = fields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
  const both = changed.filter((field) => mine[field] !== base[field]);
  return {
    conflicts: both.map((field) => ({ field, theirs: theirs[field], mine: mine[field] })),
    merged: changed
      .filter((field) => !both.includes(field))
      .map((field) => ({ field, theirs: theirs[field] })),
  };
}
