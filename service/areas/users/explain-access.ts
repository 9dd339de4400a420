import type { AccessCheck, AccessExplanation } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { validateNetwork } from '../../../contract/rules/networks.ts';
import { badRequest, notFound } from '../../kernel/api-error.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { findLatestKey } from '../tokens/index.ts';
import { isUserAddressRefused, readAccessState, type AccessState } from './explain-access.store.ts';

type Check = AccessCheck['check'];
type State = AccessCheck['state'];
type Fix = NonNullable<AccessCheck['fix']>;
/** State and message of a check, and the remedy and the action if there is one. */
type Finding = readonly [state: State, message: string, remedy?: string, fix?: Fix];

/** The latest API key, which may have expired. */
type Key = Awaited<ReturnType<typeof findLatestKey>>;

interface Address {
  ip: string | null;
  isRefused: boolean;
}

const SIGN_IN_CHECKS: ReadonlySet<Check> = new Set<Check>([
  'active',
  'membershipEnd',
  'license',
  'locked',
  'password',
  'address',
]);
const CALL_CHECKS: ReadonlySet<Check> = new Set<Check>([
  'active',
  'membershipEnd',
  'license',
  'address',
  'webService',
  'apiKey',
]);

const countUsers = (count: number): string => (count === 1 ? '1 user' : `${count} users`);
const formatDay = (at: Date): string => at.toISOString().slice(0, 10);
const formatMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** One function per check. Without a known address the address check is `unknown`. */
const evaluateCheck: Readonly<Record<Check, (user: AccessState, address: Address, key: Key) => Finding>> = {
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
};

/** Explains check by check whether a user can sign in and call the API. @throws ApiError 400, 404 */
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
    const [state, message, remedy = null, fix] = evaluateCheck[check](user, address, key);
    return { check, state, message, remedy, ...(fix && { fix }) };
  });
  const passesAll = (needed: ReadonlySet<Check>) =>
    checks.every(({ check, state }) => state !== 'fails' || !needed.has(check));
  return {
    userId: params.userId,
    ipAddress: ip,
    canSignIn: passesAll(SIGN_IN_CHECKS),
    canCallInterface: passesAll(CALL_CHECKS),
    checks,
  };
}
