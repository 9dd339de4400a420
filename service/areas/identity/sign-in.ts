import { ApiError, forbidden, notFound, retryLater, unauthorized } from '../../kernel/api-error.ts';
import { change } from '../../kernel/audit/change.ts';
import type { RequestOrigin } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { hashSecret } from '../../kernel/secret.ts';
import {
  findMembersByFederationId,
  saveAttempt,
  lockMemberByEmail,
  lockProvider,
  setFederationId,
  consumeAttempt,
  readProvider,
  type StoredProvider,
} from './identity.store.ts';
import {
  redeemAuthorizationCode,
  createAuthorizationRequest,
  getIdentityManager,
  buildSignOutUrl,
} from './provider.ts';

type IdentityServices = Pick<Services, 'publicUrl' | 'encryption' | 'egress'>;

/** Redirect URI registered at providers. */
export const buildRedirectUrl = (publicUrl: string): string => `${publicUrl}/sign-in/identity`;

const RETRY_SECONDS = 10;
const UNREACHABLE_MESSAGE = 'The identity manager of this site does not answer. Try again in a moment.';

/**
 * Starts a sign-in at the identity manager of a site. If the browser has a session on that site, the user is proving
 * presence: the provider must ask for credentials again.
 * @throws ApiError 404, 503 if the provider does not answer
 */
export async function startIdentitySignIn(
  db: Db,
  { slug, currentSiteId }: { slug: string; currentSiteId: number | undefined },
  { publicUrl, encryption, egress }: IdentityServices,
): Promise<{ url: string; state: string; secret: string }> {
  const stored = await readProvider(db, { slug });
  const provider = getIdentityManager(stored, encryption);
  if (!stored || !provider) throw new ApiError(404, `${slug} is not a site with an identity manager`);
  const { url, state, nonce, verifier } = await createAuthorizationRequest(provider, egress, {
    redirectUrl: buildRedirectUrl(publicUrl),
    forceSignIn: currentSiteId === stored.siteId,
  }).catch(() => {
    throw retryLater(503, UNREACHABLE_MESSAGE, RETRY_SECONDS);
  });
  await saveAttempt(db, hashSecret(state), { siteId: stored.siteId, nonce, verifier });
  return { url, state, secret: computeTabSecret(state, encryption) };
}

/**
 * Secret that only the tab that started the sign-in knows: an intercepted redirect URL cannot be finished elsewhere.
 */
const computeTabSecret = (state: string, encryption: IdentityServices['encryption']): string =>
  encryption.computeMac(state, 'identity attempt').toString('base64url');

/**
 * Result of a sign-in at an identity manager. `provenAt` is the time of authentication reported by the provider, if
 * any.
 */
interface IdentitySignIn {
  siteId: number;
  userId: number;
  provenAt: Date | undefined;
}

/**
 * Time at which the provider authenticated the user. A session that has been open there for hours does not prove
 * presence (ASVS 6.8.4, 7.5.3).
 */
function readAuthenticationTime({ auth_time: seconds }: Readonly<Record<string, unknown>>): Date | undefined {
  return typeof seconds === 'number' ? new Date(Math.min(Date.now(), seconds * 1000)) : undefined;
}

/**
 * Finishes a sign-in with the query that the provider sent. A user without a federation id is matched once by verified
 * e-mail address, and by federation id from then on.
 * @throws ApiError 401 if the provider does not confirm the sign-in, 403 if no user of the site matches
 */
export async function finishIdentitySignIn(
  db: Db,
  { query, secret }: { query: string; secret: string },
  { publicUrl, encryption, egress }: IdentityServices,
  origin: RequestOrigin,
): Promise<IdentitySignIn> {
  const callbackUrl = new URL(`${buildRedirectUrl(publicUrl)}?${query.replace(/^\?/, '')}`);
  const state = callbackUrl.searchParams.get('state') ?? '';
  // Checked before the attempt is consumed: somebody who knows only the URL cannot use it up.
  const isSameTab = hashSecret(secret).equals(hashSecret(computeTabSecret(state, encryption)));
  const attempt = isSameTab ? await consumeAttempt(db, hashSecret(state)) : undefined;
  if (!attempt) throw unauthorized('This sign-in was already used or has expired. Start again.');
  const stored = await readProvider(db, { siteId: attempt.siteId });
  const provider = getIdentityManager(stored, encryption);
  if (!stored || !provider) throw notFound('The identity manager');
  const claims = await redeemAuthorizationCode(provider, egress, callbackUrl, { ...attempt, state }).catch(
    (error: unknown) => {
      throw unauthorized(
        `The identity manager did not confirm your sign-in: ${describeProviderError(error)}`,
      );
    },
  );
  const userId = await resolveUser(db, stored, claims, origin);
  return { siteId: attempt.siteId, userId, provenAt: readAuthenticationTime(claims) };
}

/** The OAuth error code sent by the provider, in words if it is for the user; details of other errors are not revealed. */
const describeProviderError = (error: unknown): string => {
  const code = typeof error === 'object' && error !== null && 'error' in error ? error.error : undefined;
  // RFC 6749, 4.1.2.1.
  if (code === 'access_denied') return 'you cancelled it, or may not sign in to this site';
  return typeof code === 'string' ? code : 'its response does not match this sign-in';
};

async function resolveUser(
  db: Db,
  stored: StoredProvider,
  claims: Readonly<Record<string, unknown>>,
  origin: RequestOrigin,
): Promise<number> {
  const { siteId, claim } = stored;
  const claimValue = claims[claim];
  const federationId =
    typeof claimValue === 'string' || typeof claimValue === 'number' ? String(claimValue) : '';
  if (federationId === '')
    throw forbidden(`The identity manager did not send the claim ${claim}, which identifies you`);
  // An unverified address identifies nobody: anyone could register it at the provider and take over the account.
  if (claim === 'email' && claims['email_verified'] !== true)
    throw forbidden('The identity manager has not verified your e-mail address');
  const [member, second] = await findMembersByFederationId(db, siteId, federationId);
  if (second) throw forbidden(`Several users of this site have the federation id ${federationId}`);
  const userId = member?.userId ?? (await linkByEmail(db, stored, { federationId, claims, origin }));
  if (userId === undefined)
    throw forbidden(
      `Nobody on this site has the federation id ${federationId}. An administrator of the site can invite you.`,
    );
  return userId;
}

/**
 * Stores the federation id for the member with this verified address, if the member has none yet.
 * @throws ApiError 401 if the site has another provider by now
 */
async function linkByEmail(
  db: Db,
  { siteId, issuer, claim }: StoredProvider,
  {
    federationId,
    claims,
    origin,
  }: { federationId: string; claims: Readonly<Record<string, unknown>>; origin: RequestOrigin },
): Promise<number | undefined> {
  const { email } = claims;
  if (typeof email !== 'string' || claims['email_verified'] !== true) return undefined;
  return change(db, { siteId, userId: null, email: null, origin }, async (tx, record) => {
    const current = await lockProvider(tx, siteId);
    if (current?.issuer !== issuer || current.claim !== claim)
      throw unauthorized('The identity manager of this site was changed in the meantime. Start again.');
    const member = await lockMemberByEmail(tx, siteId, normalizeEmail(email).key);
    // Two sign-ins at once may both have found nobody.
    if (member?.federationId === federationId) return member.userId;
    if (!member || member.federationId !== null) return undefined;
    if (!(await setFederationId(tx, siteId, { userId: member.userId, federationId }))) return undefined;
    record({
      action: 'user.federation-linked',
      subject: ['user', member.userId],
      changes: { federationId: [null, federationId] },
    });
    return member.userId;
  });
}

/** URL at which the identity manager of a site ends its own session, or null if there is none or it does not answer. */
export async function getIdentitySignOutUrl(
  db: Db,
  siteId: number,
  { publicUrl, encryption, egress }: IdentityServices,
): Promise<string | null> {
  const stored = await readProvider(db, { siteId });
  const provider = getIdentityManager(stored, encryption);
  return provider ? buildSignOutUrl(provider, egress, `${publicUrl}/sign-in`).catch(() => null) : null;
}
