import { zodResolver } from '@hookform/resolvers/zod';
import type { Resolver } from 'react-hook-form';
import type { NewUserInfo } from '../../../api/generated/types.gen.ts';
import { zLicenseTypeId, zNewUserInfo } from '../../../api/generated/zod.gen.ts';

/** What the panel asks for: the new user, and the license that a second call gives. */
export type NewUserValues = NewUserInfo & { licenseTypeId: number };

export const STANDARD = 1;

export const EMPTY: NewUserValues = {
  firstName: '',
  lastName: '',
  email: '',
  password: '',
  federationId: '',
  groups: [],
  isActive: true,
  twoFactorEnabled: false,
  ipRestrictionsEnabled: false,
  licenseTypeId: STANDARD,
};

const check = zodResolver(zNewUserInfo.extend({ licenseTypeId: zLicenseTypeId }));

/** By the rules of the contract; what was left empty is left out. */
export const checkNewUser: Resolver<NewUserValues, unknown, NewUserValues> = async (
  values,
  context,
  options,
) => {
  const { password = '', federationId = '', groups = [], ...rest } = values;
  const given = {
    ...rest,
    ...(password !== '' && { password }),
    ...(federationId !== '' && { federationId }),
    ...(groups.length > 0 && { groups }),
  };
  return check(given, context, options);
};
