import type { Configuration } from 'openid-client';
import { SESSION_TTL_HOURS } from '../../kernel/auth/callers.store.ts';
import type { Encryption } from '../../kernel/auth/encryption.ts';
import { type Egress, validateEgressUrl } from '../../kernel/network/egress.ts';
import type { StoredProvider } from './identity.store.ts';

/** A provider with its decrypted secret. */
export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
}

/** Loaded with the first use of a provider, for the memory and the start of services that have none (decision 0043). */
const loadOidc = () => import('openid-client');

const SCOPE = 'openid email profile';
const METADATA_CACHE_MS = 600_000;
/** Metadata of providers, cached for ten minutes; failures are not cached. */
const configurationCache = new Map<string, { until: number; configuration: Promise<Configuration> }>();

export const getSealContext = (siteId: number): string => `identity provider ${siteId}`;

/** The configured provider of a site, or undefined. */
export function openProvider(stored: StoredProvider, seals: Encryption): Provider | undefined {
  const { issuer, clientId, clientSecret, siteId } = stored;
  if (issuer === null || clientId === null) return undefined;
  const secret = clientSecret && seals.decrypt(clientSecret, getSealContext(siteId)).toString();
  return { issuer, clientId, clientSecret: secret ?? undefined };
}

/** The provider that signs users in, or undefined if the site uses passwords. */
export const getIdentityManager = (
  stored: StoredProvider | undefined,
  seals: Encryption,
): Provider | undefined => (stored?.mode === 'identity-manager' ? openProvider(stored, seals) : undefined);

/**
 * Loads the provider's metadata.
 * @throws EgressError if the provider cannot be reached or is not an OpenID provider; always after the same time
 */
export async function discoverProvider(
  { issuer, clientId, clientSecret }: Provider,
  egress: Egress,
): Promise<Configuration> {
  const oidc = await loadOidc();
  const address = new URL(issuer);
  return egress.run(() =>
    oidc.discovery(address, clientId, clientSecret, clientSecret === undefined ? oidc.None() : undefined, {
      [oidc.customFetch]: (url, { body, ...init }) =>
        // The type of a body in bytes is wider in the library: it may be shared memory.
        egress.fetch(url, {
          ...init,
          body: body instanceof Uint8Array ? Uint8Array.from(body) : (body ?? null),
        }),
      // Only this machine may be called without TLS (kernel/egress.ts).
      execute: address.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
    }),
  );
}

function loadConfiguration(provider: Provider, egress: Egress): Promise<Configuration> {
  const key = JSON.stringify(provider);
  const cached = configurationCache.get(key);
  if (cached && cached.until > Date.now()) return cached.configuration;
  for (const [oldKey, { until }] of configurationCache)
    if (until <= Date.now()) configurationCache.delete(oldKey);
  const configuration = discoverProvider(provider, egress);
  configurationCache.set(key, { until: Date.now() + METADATA_CACHE_MS, configuration });
  configuration.catch(() => configurationCache.delete(key));
  return configuration;
}

export interface AuthorizationRequest {
  url: string;
  state: string;
  nonce: string;
  verifier: string;
}

/**
 * Builds the authorization URL: code flow with PKCE, state and nonce. `forceSignIn` makes the provider ask for
 * credentials even if a session is open there.
 */
export async function createAuthorizationRequest(
  provider: Provider,
  egress: Egress,
  { redirectUrl, forceSignIn }: { redirectUrl: string; forceSignIn: boolean },
): Promise<AuthorizationRequest> {
  const [oidc, configuration] = await Promise.all([loadOidc(), loadConfiguration(provider, egress)]);
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  const url = oidc.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUrl,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // Also requests the claim `auth_time`; no session of the service lasts longer.
    max_age: String(SESSION_TTL_HOURS * 3600),
    ...(forceSignIn && { prompt: 'login' }),
  });
  const problem = validateEgressUrl(url.href);
  if (problem !== undefined) throw new Error(`The address of its sign-in page ${problem}`);
  return { url: url.href, state, nonce, verifier };
}

/**
 * Exchanges the authorization code and returns the claims of the id token.
 * @throws Error if the provider refuses or the response belongs to another sign-in
 */
export async function redeemAuthorizationCode(
  provider: Provider,
  egress: Egress,
  callbackUrl: URL,
  attempt: { state: string; nonce: string; verifier: string },
): Promise<Readonly<Record<string, unknown>>> {
  const [oidc, configuration] = await Promise.all([loadOidc(), loadConfiguration(provider, egress)]);
  const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl, {
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.verifier,
    idTokenExpected: true,
  });
  return tokens.claims() ?? {};
}

/** URL at which the provider ends its own session, or null if it offers none. */
export async function buildSignOutUrl(
  provider: Provider,
  egress: Egress,
  returnUrl: string,
): Promise<string | null> {
  const [oidc, configuration] = await Promise.all([loadOidc(), loadConfiguration(provider, egress)]);
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  const { href } = oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl });
  // The console navigates there, so only http(s) pages are allowed, never a script URL (T03).
  return validateEgressUrl(href) === undefined ? href : null;
}
