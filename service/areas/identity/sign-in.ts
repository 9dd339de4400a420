import type { Origin } from '../../kernel/auth/caller.ts';
import { change } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { ApiError, forbidden, notFound, unauthorized } from '../../kernel/http/errors.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { findNamed, keepAttempt, lockMemberByEmail, setFederationId, takeAttempt } from './attempts.store.ts';
import { arrival, departure, managerOf, signOutUrl } from './provider.ts';
import { readProvider, type StoredProvider } from './provider.store.ts';

type Needed = Pick<Services, 'publicUrl' | 'seals'>;

/** Where providers send the browser back to. */
export const redirectUrl = (publicUrl: string): string => `${publicUrl}/sign-in/identity`;

const UNREACHABLE = 'The identity manager of this site does not answer. Try again in a moment.';

/**
 * Sends a browser on its way to the identity manager of a site. Somebody whose session on that site is open comes to prove
 * that it is still them: the provider asks them anew. @throws ApiError 404, 503
 */
export async function beginIdentity(
  db: Db,
  { slug, openSite }: { slug: string; openSite: number | undefined },
  { publicUrl, seals }: Needed,
): Promise<{ url: string; state: string; secret: string }> {
  const stored = await readProvider(db, { slug });
  const provider = managerOf(stored, seals);
  if (!stored || !provider)
    throw new ApiError(404, `${slug} is not a site that signs people in through an identity manager`);
  const { url, state, nonce, verifier } = await departure(provider, {
    redirectUrl: redirectUrl(publicUrl),
    anew: openSite === stored.siteId,
  }).catch(() => {
    throw new ApiError(503, UNREACHABLE);
  });
  await keepAttempt(db, hashSecret(state), { siteId: stored.siteId, nonce, verifier });
  return { url, state, secret: tabSecret(state, seals) };
}

/** What the tab that begins keeps to itself: whoever catches the address to come back to cannot finish in its place. */
const tabSecret = (state: string, seals: Needed['seals']): string =>
  seals.mac(state, 'identity attempt').toString('base64url');

/** Who came back, on which site, and when they last proved to the provider that it is them; undefined where it does not say. */
interface Vouched {
  siteId: number;
  userId: number;
  provenAt: Date | undefined;
}

/** A session that the provider has had open for hours is no proof that it is still the person (ASVS 6.8.4, 7.5.3). */
function provenAt({ auth_time: seconds }: Readonly<Record<string, unknown>>): Date | undefined {
  return typeof seconds === 'number' ? new Date(Math.min(Date.now(), seconds * 1000)) : undefined;
}

/**
 * Who came back, on which site. Somebody without a federation id is known by the e-mail address that the provider has
 * verified, once: from then on by the federation id alone.
 * @throws ApiError 401 when the provider does not vouch for them, 403 when nobody on the site is meant
 */
export async function finishIdentity(
  db: Db,
  { query, secret }: { query: string; secret: string },
  { publicUrl, seals }: Needed,
  origin: Origin,
): Promise<Vouched> {
  const address = new URL(`${redirectUrl(publicUrl)}?${query.replace(/^\?/, '')}`);
  const state = address.searchParams.get('state') ?? '';
  // Before the attempt is taken: whoever has the address alone does not use it up either.
  const isOurs = hashSecret(secret).equals(hashSecret(tabSecret(state, seals)));
  const attempt = isOurs ? await takeAttempt(db, hashSecret(state)) : undefined;
  if (!attempt) throw unauthorized('This sign-in has been used or has taken too long. Begin again.');
  const stored = await readProvider(db, { siteId: attempt.siteId });
  const provider = managerOf(stored, seals);
  if (!stored || !provider) throw notFound('The identity manager');
  const claims = await arrival(provider, address, { ...attempt, state }).catch((error: unknown) => {
    throw unauthorized(`The identity manager does not vouch for you: ${reasonOf(error)}`);
  });
  const userId = await personOf(db, stored, claims, origin);
  return { siteId: attempt.siteId, userId, provenAt: provenAt(claims) };
}

/** What a provider says in the terms of OAuth, such as access_denied; nothing of what our side made of it. */
const reasonOf = (error: unknown): string => {
  const said = typeof error === 'object' && error !== null && 'error' in error ? error.error : undefined;
  return typeof said === 'string' ? said : 'its answer does not fit this sign-in';
};

async function personOf(
  db: Db,
  { siteId, claim }: StoredProvider,
  claims: Readonly<Record<string, unknown>>,
  origin: Origin,
): Promise<number> {
  const given = claims[claim];
  const federationId = typeof given === 'string' || typeof given === 'number' ? String(given) : '';
  if (federationId === '') throw forbidden(`The identity manager sent no ${claim} to know you by`);
  // An address that nobody checked names nobody: whoever registers it at the provider would be its owner here.
  if (claim === 'email' && claims['email_verified'] !== true)
    throw forbidden('The identity manager has not verified your e-mail address');
  const [named, another] = await findNamed(db, siteId, federationId);
  if (another) throw forbidden(`Several users of this site have the federation id ${federationId}`);
  const userId = named?.userId ?? (await linkByEmail(db, siteId, { federationId, claims, origin }));
  if (userId === undefined)
    throw forbidden(
      `Nobody on this site has the federation id ${federationId}. An administrator of the site can invite you.`,
    );
  return userId;
}

/** Gives the federation id to the member whose verified address this is, where they have none yet. */
async function linkByEmail(
  db: Db,
  siteId: number,
  {
    federationId,
    claims,
    origin,
  }: { federationId: string; claims: Readonly<Record<string, unknown>>; origin: Origin },
): Promise<number | undefined> {
  const { email } = claims;
  if (typeof email !== 'string' || claims['email_verified'] !== true) return undefined;
  return change(db, { siteId, userId: null, email: null, origin }, async (tx, record) => {
    const member = await lockMemberByEmail(tx, siteId, normaliseEmail(email).key);
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

/** Where the identity manager of a site ends its own session; null without one, or while it does not answer. */
export async function identitySignOut(
  db: Db,
  siteId: number,
  { publicUrl, seals }: Needed,
): Promise<string | null> {
  const stored = await readProvider(db, { siteId });
  const provider = managerOf(stored, seals);
  return provider ? signOutUrl(provider, `${publicUrl}/sign-in`).catch(() => null) : null;
}
