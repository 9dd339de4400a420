import type { AccessCheck, AccessExplanation, AccessGoal } from '../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../contract/rules/networks.ts';
import { NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { badRequest, notFound } from '../../kernel/api-error.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { isInDomain } from '../invitations/index.ts';
import { findLatestKey } from '../tokens/index.ts';
import { isUserAddressRefused, readAccessState, type AccessState } from './explain-access.store.ts';

type Check = AccessCheck['check'];
type State = AccessCheck['state'];
type Fix = NonNullable<AccessCheck['fix']>;
/** State and message of a check, and the remedy and the action if there is one. */
type Finding = readonly [state: State, message: string, remedy?: string, fix?: Fix];

/** The latest API key, which may have expired. */
type Key = Awaited<ReturnType<typeof findLatestKey>>;

/** The user who asks: what nobody but they would do depends on their capabilities. */
type Viewer = Pick<Call<'explainAccess'>['caller'], 'capabilities'>;

interface Address {
  ip: string | null;
  isRefused: boolean;
}

/** Checks that everything done on the site requires. */
const MEMBER_CHECKS = ['active', 'membershipEnd', 'license', 'address'] as const;
const SIGN_IN_CHECKS = [
  'active',
  'membershipEnd',
  'license',
  'locked',
  'password',
  'identityManager',
  'twoFactor',
  'address',
] as const;

/** The checks that decide or remark on each goal, in the order in which they are listed. */
const GOALS: Readonly<Record<AccessGoal['goal'], readonly Check[]>> = {
  signIn: [...SIGN_IN_CHECKS, 'groups', 'proxies', 'invitation'],
  callApi: [...MEMBER_CHECKS, 'webService', 'apiKey'],
  useWebService: [...MEMBER_CHECKS, 'webService'],
  seeEntryType: [...MEMBER_CHECKS, 'readData'],
  actForUser: [...SIGN_IN_CHECKS, 'principals'],
  beInImport: ['importSettings', 'importKinds', 'importUser', 'importHistory'],
  beInUserImport: ['homeSite', 'identityManager'],
  downloadBackup: [...MEMBER_CHECKS, 'manageBackups', 'readyBackups', 'presence', 'downloadAddress'],
  joinGroup: ['grantGroups'],
  joinSite: ['member', 'existingUsers', 'dedicatedDomain'],
};

const countUsers = (count: number): string => (count === 1 ? '1 user' : `${count} users`);
const formatDay = (at: Date): string => at.toISOString().slice(0, 10);
const formatMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** One function per check. Without a known address the address check is `unknown`. */
const evaluateCheck: Readonly<
  Record<Check, (user: AccessState, address: Address, key: Key, viewer: Viewer) => Finding>
> = {
  active: ({ isActive }) =>
    isActive
      ? ['passes', 'The user is active.']
      : ['fails', 'The user is inactive.', 'Activate the user.', 'activate'],
  membershipEnd({ expiresAt, hasEnded }) {
    if (!expiresAt) return ['passes', 'The membership has no end date.'];
    if (hasEnded)
      return [
        'fails',
        `The membership ended on ${formatDay(expiresAt)}.`,
        'Extend it, or invite the user again.',
        'extendMembership',
      ];
    return [
      'notice',
      `The membership ends on ${formatDay(expiresAt)}.`,
      'It can be extended.',
      'extendMembership',
    ];
  },
  license: ({ licenseTypeId }) =>
    licenseTypeId === NO_LICENSE
      ? [
          'fails',
          'The license is No License.',
          'Give a Standard, Limited or Complimentary license.',
          'giveLicense',
        ]
      : ['passes', 'The user has a license.'],
  locked: ({ lockedUntil }) =>
    lockedUntil
      ? [
          'fails',
          `The account is locked until ${formatMinute(lockedUntil)} because of wrong passwords.`,
          'It unlocks by itself. A new password unlocks it now; from a known browser or address the user can sign in anyway.',
          'sendPasswordLink',
        ]
      : ['passes', 'The account is not locked.'],
  password({ identityMode, hasPassword }) {
    if (identityMode === 'identity-manager')
      return ['notice', 'Passwords have no effect: the identity manager of the site signs users in.'];
    return hasPassword
      ? ['passes', 'The user has set a password.']
      : ['fails', 'The user has not set a password yet.', 'Send a link to set one.', 'sendPasswordLink'];
  },
  identityManager({ identityMode, federationId }) {
    if (identityMode === 'password') return ['passes', 'The site does not use an identity manager.'];
    if (federationId === null)
      return [
        'unknown',
        'The user has no federation id: the identity manager must send a verified e-mail address.',
        'Have the user sign in once, or contact the administrators of the identity manager.',
        'setFederationId',
      ];
    return ['unknown', `The identity manager must send the federation id ${federationId}.`];
  },
  twoFactor({ isFactorRequired, hasFactor, identityMode }) {
    if (identityMode === 'identity-manager')
      return ['notice', 'The identity manager decides whether a second factor is required.'];
    if (hasFactor)
      return [
        'notice',
        'A second factor is required.',
        'If it is lost, an administrator can reset it.',
        'resetSecondFactor',
      ];
    return isFactorRequired
      ? ['notice', 'A second factor is required and must be set up at the next sign-in.']
      : ['passes', 'No second factor is required.'];
  },
  address({ isRestricted }, { ip, isRefused }) {
    if (!isRestricted) return ['passes', 'Any address may be used.'];
    if (ip === null)
      return ['unknown', 'Only approved addresses may be used, and the address of the user is not known.'];
    return isRefused
      ? [
          'fails',
          `${ip} is not approved on this site.`,
          'Approve the address under Settings.',
          'approveAddress',
        ]
      : ['passes', `${ip} is approved.`];
  },
  groups: ({ capabilities }) =>
    capabilities.length > 0
      ? ['passes', `Groups grant ${capabilities.length} capabilities.`]
      : [
          'notice',
          'No group grants a capability: the user can sign in but do nothing.',
          'Add the user to a group.',
          'addToGroup',
        ],
  webService: ({ capabilities }) =>
    capabilities.includes('Access Web Service')
      ? ['passes', 'The user may call the API.']
      : [
          'fails',
          'Calling the API requires Access Web Service.',
          'Add the user to a group that grants it.',
          'addToGroup',
        ],
  apiKey(_user, _address, key) {
    if (!key)
      return [
        'fails',
        'No API key is turned on.',
        'The user can turn one on in their profile.',
        'turnOnApiKey',
      ];
    const { expiresAt, isExpired, lastUsedAt } = key;
    if (isExpired && expiresAt)
      return [
        'fails',
        `The API key expired on ${formatDay(expiresAt)}.`,
        'The user can turn on a new one in their profile.',
        'turnOnApiKey',
      ];
    const used = lastUsedAt
      ? `The key was last used on ${formatDay(lastUsedAt)}.`
      : 'The key was never used.';
    return ['passes', expiresAt ? `${used} It expires on ${formatDay(expiresAt)}.` : used];
  },
  proxies({ principals, proxies }) {
    if (principals + proxies === 0) return ['passes', 'The user is neither a proxy nor a principal.'];
    return [
      'notice',
      `The user may act for ${countUsers(principals)}, and ${countUsers(proxies)} may act for them.`,
    ];
  },
  invitation: ({ invitedUntil }) =>
    invitedUntil
      ? [
          'notice',
          `An invitation is pending until ${formatDay(invitedUntil)}.`,
          'It can be sent again.',
          'resendInvitation',
        ]
      : ['passes', 'No invitation is pending.'],
  readData: ({ capabilities }) =>
    capabilities.includes('Read Data')
      ? ['passes', 'Read Data is granted. It covers all entry types: they have no permissions of their own.']
      : [
          'fails',
          'Reading entries requires Read Data.',
          'Add the user to a group that grants it. It covers all entry types.',
          'addToGroup',
        ],
  principals({ principals, refusedPrincipals }) {
    if (principals === 0)
      return [
        'fails',
        'Nobody has this user as a proxy.',
        'Assign the user as a proxy of those for whom they should act.',
        'assignProxy',
      ];
    if (refusedPrincipals === principals)
      return [
        'fails',
        `All ${countUsers(principals)} for whom the user may act are inactive, have no license or are no longer members.`,
        'Activate one of them or give them a license.',
        'openProxies',
      ];
    return refusedPrincipals === 0
      ? ['passes', `The user may act for ${countUsers(principals)}.`]
      : [
          'notice',
          `The user may act for ${countUsers(principals)}, of whom ${refusedPrincipals} cannot be chosen: inactive, without a license or no longer a member.`,
          undefined,
          'openProxies',
        ];
  },
  importSettings({ relationships }) {
    if (!relationships?.isConnected)
      return [
        'fails',
        'The connection type of the site is not API Endpoint.',
        'Select API Endpoint in the import settings.',
        'openImportSettings',
      ];
    return relationships.isEnabled
      ? ['passes', 'Relationship Intelligence is on, with API Endpoint as its connection type.']
      : [
          'fails',
          'Relationship Intelligence is off.',
          'Turn it on in the import settings.',
          'openImportSettings',
        ];
  },
  importKinds({ relationships }) {
    const { collects = false, emails = false, meetings = false } = relationships ?? {};
    if (!collects || (!emails && !meetings))
      return [
        'fails',
        'The site collects neither e-mails nor meetings.',
        'Turn on Collect Relationship Data with E-mail or Meeting Relationships.',
        'openImportSettings',
      ];
    if (emails && meetings) return ['passes', 'The site collects e-mails and meetings.'];
    return [
      'notice',
      `The site collects ${emails ? 'e-mails, not meetings' : 'meetings, not e-mails'}.`,
      undefined,
      'openImportSettings',
    ];
  },
  importUser: ({ isImportEnabled }) =>
    isImportEnabled
      ? ['passes', 'The user is enabled for relationship scoring.']
      : [
          'fails',
          'The user is not enabled for relationship scoring: imports skip their e-mails and meetings.',
          'Enable the user in the import settings.',
          'openImportSettings',
        ],
  importHistory: ({ historyCompletedAt }) =>
    historyCompletedAt
      ? [
          'notice',
          `The historical upload of the user was completed on ${formatDay(historyCompletedAt)}: older items are refused.`,
        ]
      : ['passes', 'Historical items are accepted.'],
  homeSite: ({ isHomeSite }) =>
    isHomeSite
      ? ['passes', 'An import can change everything: this is the home site of the account.']
      : [
          'notice',
          // The home site is not named: a site learns nothing of others.
          'An import can change license, groups, status and time zone. Name, e-mail, federation id and password can be changed on the home site of the account only.',
        ],
  manageBackups: ({ capabilities }) =>
    capabilities.includes('Manage Backups')
      ? ['passes', 'The user may download backups.']
      : [
          'fails',
          'Downloading backups requires Manage Backups.',
          'Add the user to a group that grants it.',
          'addToGroup',
        ],
  readyBackups: ({ readyBackups }) =>
    readyBackups > 0
      ? ['passes', `${readyBackups === 1 ? '1 backup is' : `${readyBackups} backups are`} ready.`]
      : ['fails', 'No backup of the site is ready.', 'Request a backup.', 'requestBackup'],
  presence({ identityMode, hasFactor, hasPassword }) {
    if (hasFactor || (hasPassword && identityMode === 'password'))
      return [
        'notice',
        `In the console the user must first confirm it's them, with ${hasFactor ? 'the second factor' : 'the password'}.`,
      ];
    return identityMode === 'identity-manager'
      ? ['unknown', 'The user must confirm it’s them, which the identity manager of the site decides.']
      : [
          'fails',
          'The user can’t confirm it’s them: there is no password and no second factor.',
          'Send a link to set a password.',
          'sendPasswordLink',
        ];
  },
  downloadAddress: () => [
    'notice',
    'A download works only from the address that requested it. An address that changes on the way, as with some VPNs, ends it.',
  ],
  grantGroups: (_user, _address, _key, { capabilities }) =>
    capabilities.has('Manage Groups')
      ? [
          'passes',
          'Groups never ask the user. You can add them to every group whose capabilities you hold yourself.',
          undefined,
          'addToGroup',
        ]
      : [
          'fails',
          'Groups never ask the user, but you need Manage Groups to add them.',
          'Ask an administrator of groups.',
          'addToGroup',
        ],
  member: () => ['notice', 'The user is a member of this site already. The rest applies after a removal.'],
  existingUsers: ({ mayManageExistingUsers }) =>
    mayManageExistingUsers
      ? ['passes', 'The site may add users of the platform.']
      : [
          'fails',
          'The site may not add users of the platform without their confirmation.',
          'Invite the user, or ask a platform administrator to allow it.',
          'invite',
        ],
  dedicatedDomain({ dedicatedDomain, email }) {
    if (dedicatedDomain === null)
      return [
        'fails',
        'The site has no dedicated domain.',
        'Invite the user, or ask a platform administrator to set the domain.',
        'invite',
      ];
    return isInDomain(email, dedicatedDomain)
      ? ['passes', `The address belongs to ${dedicatedDomain}, the dedicated domain of the site.`]
      : [
          'fails',
          `${email} does not belong to ${dedicatedDomain}, the dedicated domain of the site.`,
          'Invite the user: they confirm the invitation themselves.',
          'invite',
        ];
  },
};

/** Whether a goal can be reached: no if a check fails, unknown if the result of one cannot be determined. */
function decideGoal(states: readonly State[]): AccessGoal['answer'] {
  if (states.includes('fails')) return 'no';
  return states.includes('unknown') ? 'unknown' : 'yes';
}

/** Explains goal by goal and check by check what a user can do on the site. @throws ApiError 400, 404 */
export async function explainAccess({
  db,
  caller,
  params,
  query,
}: Pick<Call<'explainAccess'>, 'db' | 'caller' | 'params' | 'query'>): Promise<AccessExplanation> {
  const { siteId } = caller;
  const requestedIp = query.ipAddress?.trim();
  if (requestedIp !== undefined && (requestedIp.includes('/') || validateNetwork(requestedIp) !== undefined))
    throw badRequest([{ path: 'ipAddress', message: 'must be an IPv4 or IPv6 address' }]);
  const user = await readAccessState(db, siteId, params.userId);
  if (!user) throw notFound(`User ${params.userId}`);
  const ip = requestedIp ?? user.lastAddress;
  const address = {
    ip,
    isRefused: ip !== null && (await isUserAddressRefused(db, siteId, params.userId, ip)),
  };
  const key = await findLatestKey(db, siteId, params.userId);
  const checks = (Object.keys(evaluateCheck) as Check[]).map((check): AccessCheck => {
    const [state, message, remedy = null, fix] = evaluateCheck[check](user, address, key, caller);
    return { check, state, message, remedy, ...(fix && { fix }) };
  });
  const states = new Map(checks.map(({ check, state }) => [check, state]));
  const goals = (Object.keys(GOALS) as AccessGoal['goal'][]).map((goal) => ({
    goal,
    answer: decideGoal(GOALS[goal].flatMap((check) => states.get(check) ?? [])),
    checks: [...GOALS[goal]],
  }));
  const isReachable = (wanted: AccessGoal['goal']) =>
    goals.every(({ goal, answer }) => goal !== wanted || answer !== 'no');
  return {
    userId: params.userId,
    ipAddress: ip,
    canSignIn: isReachable('signIn'),
    canCallInterface: isReachable('callApi'),
    goals,
    checks,
  };
}
