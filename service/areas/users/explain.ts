import type { AccessCheck, AccessExplanation } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { networkFault } from '../../../contract/rules/networks.ts';
import { invalid, notFound } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { findKey } from '../tokens/index.ts';
import { isRefused, readStanding, type Standing } from './explain.store.ts';

type Check = AccessCheck['check'];
type State = AccessCheck['state'];
/** What is so, and what mends it. */
type Finding = readonly [state: State, message: string, remedy?: string];

/** The last API key, which may have expired. */
type Key = Awaited<ReturnType<typeof findKey>>;

interface Address {
  ip: string | null;
  isRefused: boolean;
}

const NEEDED_TO_SIGN_IN: ReadonlySet<Check> = new Set<Check>([
  'active',
  'membershipEnd',
  'license',
  'locked',
  'password',
  'address',
]);
const NEEDED_TO_CALL: ReadonlySet<Check> = new Set<Check>([
  'active',
  'membershipEnd',
  'license',
  'address',
  'webService',
  'apiKey',
]);

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
const momentOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Each condition as a finding; an address that is not known cannot be judged. */
const FINDINGS: Readonly<Record<Check, (user: Standing, address: Address, key: Key) => Finding>> = {
  active: ({ isActive }) =>
    isActive ? ['passes', 'The user is active.'] : ['fails', 'The user is inactive.', 'Activate the user.'],
  membershipEnd({ expiresAt, isOver }) {
    if (!expiresAt) return ['passes', 'The membership has no end.'];
    if (isOver)
      return [
        'fails',
        `The membership ended on ${dayOf(expiresAt)}.`,
        'Extend it, or invite the user again.',
      ];
    return ['notice', `The membership ends by itself on ${dayOf(expiresAt)}.`, 'It can be extended.'];
  },
  license: ({ licenseTypeId }) =>
    licenseTypeId === NO_LICENSE
      ? ['fails', 'The license is No License.', 'Give a Standard, Limited or Complimentary license.']
      : ['passes', 'The user has a license.'],
  locked: ({ lockedUntil }) =>
    lockedUntil
      ? [
          'fails',
          `After wrong passwords the account rests until ${momentOf(lockedUntil)}.`,
          'It opens by itself, and at once from a browser or an address they have signed in from.',
        ]
      : ['passes', 'No failed sign-ins stand in the way.'],
  password({ identityMode, hasPassword }) {
    if (identityMode === 'identity-manager')
      return ['notice', 'Passwords have no effect: the identity manager of the site signs people in.'];
    return hasPassword
      ? ['passes', 'The user has set a password.']
      : ['fails', 'The user has not set a password yet.', '“Forgot the password?” mails them a link.'];
  },
  identityManager({ identityMode, federationId }) {
    if (identityMode === 'password') return ['passes', 'The site signs people in itself.'];
    if (federationId === null)
      return [
        'unknown',
        'The user has no federation id: the identity manager has to send their e-mail address as verified.',
        'They sign in once, or ask the people who run the identity manager.',
      ];
    return ['unknown', `The identity manager has to know them as ${federationId}.`];
  },
  twoFactor({ asksFactor, hasFactor, identityMode }) {
    if (identityMode === 'identity-manager')
      return ['notice', 'A second factor is asked for by the identity manager, not here.'];
    if (hasFactor)
      return ['notice', 'A second factor is asked for. If it is lost, an administrator resets it.'];
    return asksFactor
      ? ['notice', 'A second factor is required: setting it up is the next thing they are asked for.']
      : ['passes', 'No second factor is asked for.'];
  },
  address({ isRestricted }, { ip, isRefused: refused }) {
    if (!isRestricted) return ['passes', 'Any address may be used.'];
    if (ip === null)
      return ['unknown', 'Only approved addresses may be used, and it is not known from where they come.'];
    return refused
      ? ['fails', `${ip} is not approved on this site.`, 'Approve the address under Settings.']
      : ['passes', `${ip} is approved.`];
  },
  groups: ({ capabilities }) =>
    capabilities.length > 0
      ? ['passes', `Groups give ${capabilities.length} capabilities.`]
      : [
          'notice',
          'No group gives a capability: they get in, but may do nothing.',
          'Add the user to a group.',
        ],
  webService: ({ capabilities }) =>
    capabilities.includes('Access Web Service')
      ? ['passes', 'They may call the interface.']
      : [
          'fails',
          'Calling the interface needs Access Web Service.',
          'Add the user to a group that gives it.',
        ],
  apiKey(_user, _address, key) {
    if (!key) return ['fails', 'No API key is turned on.', 'They turn one on in their own profile.'];
    const { expiresAt, isExpired, lastUsedAt } = key;
    if (isExpired && expiresAt)
      return [
        'fails',
        `The API key expired on ${dayOf(expiresAt)}.`,
        'They turn on a new one in their own profile.',
      ];
    const used = lastUsedAt ? `The key was last used on ${dayOf(lastUsedAt)}.` : 'The key was never used.';
    return ['passes', expiresAt ? `${used} It expires on ${dayOf(expiresAt)}.` : used];
  },
  proxies({ principals, proxies }) {
    if (principals + proxies === 0) return ['passes', 'Nobody acts for them, and they act for nobody.'];
    return ['notice', `They may act for ${principals} people, and ${proxies} people may act for them.`];
  },
  invitation: ({ invitedUntil }) =>
    invitedUntil
      ? ['notice', `An invitation waits until ${dayOf(invitedUntil)}.`, 'It can be sent again.']
      : ['passes', 'No invitation waits.'],
};

/** Why a user gets in or does not, condition by condition. @throws ApiError 400, 404 */
export async function explainAccess({
  db,
  caller,
  params,
  query,
}: Pick<Call<'explainAccess'>, 'db' | 'caller' | 'params' | 'query'>): Promise<AccessExplanation> {
  const { siteId } = caller;
  const asked = query.ipAddress?.trim();
  if (asked !== undefined && (asked.includes('/') || networkFault(asked) !== undefined))
    throw invalid([{ path: 'ipAddress', message: 'must be an IPv4 or IPv6 address' }]);
  const user = await readStanding(db, siteId, params.userId);
  if (!user) throw notFound(`User ${params.userId}`);
  const ip = asked ?? user.lastAddress;
  const address = { ip, isRefused: ip !== null && (await isRefused(db, siteId, params.userId, ip)) };
  const key = await findKey(db, siteId, params.userId);
  const checks = (Object.keys(FINDINGS) as Check[]).map((check): AccessCheck => {
    const [state, message, remedy = null] = FINDINGS[check](user, address, key);
    return { check, state, message, remedy };
  });
  const holds = (needed: ReadonlySet<Check>) =>
    checks.every(({ check, state }) => state !== 'fails' || !needed.has(check));
  return {
    userId: params.userId,
    ipAddress: ip,
    canSignIn: holds(NEEDED_TO_SIGN_IN),
    canCallInterface: holds(NEEDED_TO_CALL),
    checks,
  };
}
