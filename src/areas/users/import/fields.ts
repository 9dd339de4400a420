import { fold } from '../../../lib/fold.ts';

/** What a column of the file can be; the names are those of the interface (shapes 2). */
export const FIELDS = [
  'id',
  'email',
  'firstName',
  'lastName',
  'isActive',
  'licenseTypeId',
  'groups',
  'twoFactorEnabled',
  'ipRestrictionsEnabled',
  'federationId',
] as const;
export type Field = (typeof FIELDS)[number];

/** Headings of the template and of exports; also what the page calls the fields. */
export const HEADINGS: Record<Field, string> = {
  id: 'Id',
  email: 'E-mail',
  firstName: 'First name',
  lastName: 'Last name',
  isActive: 'Status',
  licenseTypeId: 'License',
  groups: 'Groups',
  twoFactorEnabled: 'Two-factor',
  ipRestrictionsEnabled: 'Approved addresses',
  federationId: 'Federation id',
};

/** Headings that exports have and the service alone decides: read, and passed over. */
export const TOLD_BY_SERVICE = ['Created', 'Modified'];

const SPELLINGS: Record<Field, readonly string[]> = {
  id: ['id', 'userid', 'usernumber', 'identifier'],
  email: ['email', 'emailaddress', 'mail', 'mailaddress', 'login', 'loginemail', 'username', 'emailadresse'],
  firstName: ['firstname', 'first', 'givenname', 'forename', 'vorname', 'prenom', 'nombre'],
  lastName: [
    'lastname',
    'last',
    'surname',
    'familyname',
    'secondname',
    'nachname',
    'nomdefamille',
    'apellido',
  ],
  isActive: ['status', 'active', 'isactive', 'state', 'enabled', 'accountstatus'],
  licenseTypeId: [
    'license',
    'licence',
    'licensetype',
    'licencetype',
    'licensetypeid',
    'licencetypeid',
    'seat',
  ],
  groups: [
    'groups',
    'group',
    'usergroups',
    'usergroup',
    'groupnames',
    'groupids',
    'memberof',
    'teams',
    'team',
  ],
  twoFactorEnabled: ['twofactor', 'twofactorenabled', 'twofactorauthentication', '2fa', 'mfa', '2factor'],
  ipRestrictionsEnabled: [
    'approvedaddresses',
    'onlyfromapprovedaddresses',
    'iprestrictions',
    'iprestrictionsenabled',
    'iprestricted',
    'iprestriction',
  ],
  federationId: ['federationid', 'federation', 'externalid', 'ssoid', 'subject'],
};

const BY_SPELLING = new Map(
  FIELDS.flatMap((field) => SPELLINGS[field].map((spelling) => [spelling, field] as const)),
);

const plain = (heading: string): string => fold(heading).replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Which field each column holds; undefined for one that is passed over. */
export type Mapping = readonly (Field | undefined)[];

/** Guesses the columns from their headings; each field is given once, to the first that is called so. */
export function guessMapping(headings: readonly string[]): Mapping {
  const taken = new Set<Field>();
  return headings.map((heading) => {
    const field = BY_SPELLING.get(plain(heading));
    if (field === undefined || taken.has(field)) return undefined;
    taken.add(field);
    return field;
  });
}

/** Why a column that no field claims is passed over, where there is a reason. */
export function ignoredBecause(heading: string): string | undefined {
  if (TOLD_BY_SERVICE.some((one) => plain(one) === plain(heading))) return 'Decided by the service';
  if (plain(heading).includes('password')) return 'Not imported: people set their own password';
  return undefined;
}
