import * as oidc from 'openid-client';
import { SESSION_HOURS } from '../../kernel/auth/store.ts';
import { egress, egressFault } from '../../kernel/egress.ts';
import type { Seals } from '../../kernel/auth/seals.ts';
import type { StoredProvider } from './provider.store.ts';

/** A provider as it is called: its secret is open. */
export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

const SCOPE = 'openid email profile';
const KEPT_MS = 600_000;
/** What providers said of themselves, for ten minutes; a failure is not kept. */
const known = new Map<string, { until: number; configuration: Promise<oidc.Configuration> }>();

export const sealContext = (siteId: number): string => `identity provider ${siteId}`;

/** The provider of a site that has one. */
export function openProvider(stored: StoredProvider, seals: Seals): Provider | undefined {
  const { issuer, clientId, clientSecret, siteId } = stored;
  if (issuer === null || clientId === null) return undefined;
  const secret = clientSecret && seals.open(clientSecret, sealContext(siteId)).toString();
  return { issuer, clientId, clientSecret: secret ?? undefined };
}

/** The provider that signs people in to a site; undefined where the site does that itself. */
export const managerOf = (stored: StoredProvider | undefined, seals: Seals): Provider | undefined =>
  stored?.mode === 'identity-manager' ? openProvider(stored, seals) : undefined;

/** What the provider says of itself. @throws Error when it cannot be reached or is no such provider */
export function discover({ issuer, clientId, clientSecret }: Provider): Promise<oidc.Configuration> {
  const address = new URL(issuer);
  return oidc.discovery(
    address,
    clientId,
    clientSecret,
    clientSecret === undefined ? oidc.None() : undefined,
    {
      [oidc.customFetch]: egress,
      // Only this machine is called without TLS (kernel/egress.ts).
      execute: address.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
    },
  );
}

function configurationOf(provider: Provider): Promise<oidc.Configuration> {
  const key = JSON.stringify(provider);
  const kept = known.get(key);
  if (kept && kept.until > Date.now()) return kept.configuration;
  for (const [old, { until }] of known) if (until <= Date.now()) known.delete(old);
  const configuration = discover(provider);
  known.set(key, { until: Date.now() + KEPT_MS, configuration });
  configuration.catch(() => known.delete(key));
  return configuration;
}

export interface Departure {
  url: string;
  state: string;
  nonce: string;
  verifier: string;
}

/** Where to send a browser to sign in, `anew` whoever is signed in there: code flow with PKCE, state and nonce. */
export async function departure(
  provider: Provider,
  { redirectUrl, anew }: { redirectUrl: string; anew: boolean },
): Promise<Departure> {
  const configuration = await configurationOf(provider);
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUrl,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // Asks for `auth_time` besides: no session of ours is longer than this.
    max_age: String(SESSION_HOURS * 3600),
    ...(anew && { prompt: 'login' }),
  });
  const fault = egressFault(url.href);
  if (fault !== undefined) throw new Error(`The address of its sign-in ${fault}`);
  return { url: url.href, state, nonce, verifier };
}

/** What the provider vouches for. @throws Error when it does not, or for another sign-in than this one */
export async function arrival(
  provider: Provider,
  address: URL,
  attempt: { state: string; nonce: string; verifier: string },
): Promise<Readonly<Record<string, unknown>>> {
  const tokens = await oidc.authorizationCodeGrant(await configurationOf(provider), address, {
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.verifier,
    idTokenExpected: true,
  });
  return tokens.claims() ?? {};
}

/** Where the provider ends its own session; null where it cannot. */
export async function signOutUrl(provider: Provider, backTo: string): Promise<string | null> {
  const configuration = await configurationOf(provider);
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  const { href } = oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: backTo });
  // The console goes there: nothing but a page, such as no script (T03).
  return egressFault(href) === undefined ? href : null;
}
