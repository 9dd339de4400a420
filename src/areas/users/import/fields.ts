import { foldText } from '../../../../contract/rules/fold-text.ts';
import { READ_ONLY_HEADINGS } from '../../../../contract/rules/tables/user-columns.ts';

/** Fields that a column can hold, named as in the contract (shapes 2). */
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
  'timeZone',
  'federationId',
] as const;
export type Field = (typeof FIELDS)[number];

const FIELD_SPELLINGS: Record<Field, readonly string[]> = {
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
  timeZone: ['timezone', 'tz', 'zeitzone', 'fuseauhoraire', 'zonahoraria'],
  federationId: ['federationid', 'federation', 'externalid', 'ssoid', 'subject'],
};

const FIELD_BY_SPELLING = new Map(
  FIELDS.flatMap((field) => FIELD_SPELLINGS[field].map((spelling) => [spelling, field] as const)),
);

const normalizeHeading = (heading: string): string => foldText(heading).replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** Field of each column; undefined for ignored ones. */
export type Mapping = readonly (Field | undefined)[];

/** Guesses the fields from the headings; each field is assigned to the first matching column. */
export function guessMapping(headings: readonly string[]): Mapping {
  const taken = new Set<Field>();
  return headings.map((heading) => {
    const field = FIELD_BY_SPELLING.get(normalizeHeading(heading));
    if (field === undefined || taken.has(field)) return undefined;
    taken.add(field);
    return field;
  });
}

/** Reason why an unassigned column is ignored, if there is one. */
export function getIgnoredReason(heading: string): string | undefined {
  if (READ_ONLY_HEADINGS.some((one) => normalizeHeading(one) === normalizeHeading(heading)))
    return 'Set by the service';
  if (normalizeHeading(heading).includes('password')) return 'Not imported: users set their own passwords';
  return undefined;
}
