import type { Session, UserInfoResponse, UserLicenseInfoResponse } from '../../../api/generated/types.gen.ts';

interface Check {
  answer: 'yes' | 'no' | 'unknown';
  title: string;
  detail: string;
}

const NO_LICENSE = 4;

/** Answers whether somebody can sign in, condition by condition; what the interface does not tell is said. */
export function signInChecks(
  user: Pick<UserInfoResponse, 'isActive' | 'isLocked' | 'twoFactorEnabled' | 'ipRestrictionsEnabled'>,
  license: Pick<UserLicenseInfoResponse, 'licenseTypeId' | 'description'>,
  identityMode: Session['site']['identityMode'],
): Check[] {
  const licensed = license.licenseTypeId !== NO_LICENSE;
  return [
    user.isActive
      ? { answer: 'yes', title: 'Active', detail: 'On this site.' }
      : { answer: 'no', title: 'Inactive', detail: 'Activate them under Access.' },
    licensed
      ? { answer: 'yes', title: 'Licensed', detail: license.description }
      : { answer: 'no', title: 'No license', detail: 'Nobody signs in without one. Give one under License.' },
    user.isLocked
      ? {
          answer: 'no',
          title: 'Locked',
          detail: 'After failed sign-ins. The lock opens by itself after a while.',
        }
      : { answer: 'yes', title: 'Not locked', detail: 'No failed sign-ins stand in the way.' },
    user.ipRestrictionsEnabled
      ? {
          answer: 'unknown',
          title: 'From an approved address only',
          detail: 'From which address they try is not known here.',
        }
      : { answer: 'yes', title: 'From any address', detail: 'Approved addresses are not asked for.' },
    user.twoFactorEnabled
      ? {
          answer: 'yes',
          title: 'Second factor required',
          detail: 'Sign-in does not ask for it yet.',
        }
      : { answer: 'yes', title: 'No second factor needed', detail: 'It can be turned on under Access.' },
    identityMode === 'password'
      ? { answer: 'unknown', title: 'Password', detail: 'Whether they have set one is not known here.' }
      : { answer: 'unknown', title: 'Identity manager', detail: 'Whether it knows them is not known here.' },
  ];
}
