import type { UserInfo, UserInfoResponse } from '../../../api/generated/types.gen.ts';
import { zNewUserInfo } from '../../../api/generated/zod.gen.ts';

export const PROFILE_FIELDS = ['firstName', 'lastName', 'email', 'federationId'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];
export type ProfileValues = Record<ProfileField, string>;

export const PROFILE_LABELS: ProfileValues = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  federationId: 'Federation id',
};

/** What the form takes, by the rules of the contract. */
export const profileSchema = zNewUserInfo
  .pick({ firstName: true, lastName: true, email: true })
  .extend({ federationId: zNewUserInfo.shape.federationId.unwrap() });

export const profileOf = ({ firstName, lastName, email, federationId }: UserInfoResponse): ProfileValues => ({
  firstName,
  lastName,
  email,
  federationId: federationId ?? '',
});

/** Only what differs is sent: an omitted field keeps its value (shapes 2). Empty clears the federation id. */
export function changesOf(base: ProfileValues, values: ProfileValues): Omit<UserInfo, 'id'> {
  const changed = PROFILE_FIELDS.filter((field) => values[field] !== base[field]);
  const body = Object.fromEntries(changed.map((field) => [field, values[field]]));
  return changed.includes('federationId') && values.federationId === ''
    ? { ...body, federationId: null }
    : body;
}

/** What else than the fields of the form somebody changed, in words. */
export function otherChanges(before: UserInfoResponse, after: UserInfoResponse): string[] {
  const words: [keyof UserInfoResponse, string][] = [
    ['isActive', after.isActive ? 'is active now' : 'is inactive now'],
    ['groups', 'belongs to other groups'],
    ['twoFactorEnabled', 'two-factor authentication is on'],
    ['ipRestrictionsEnabled', 'signs in only from approved addresses'],
  ];
  return words.filter(([key]) => String(before[key]) !== String(after[key])).map(([, said]) => said);
}
