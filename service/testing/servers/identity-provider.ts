/** Local OpenID provider that signs in the configured person without interaction. */
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Sets the claims of the next sign-in; `signedInAt` in seconds, by default now. */
  setPerson(claims: { sub: string } & Readonly<Record<string, unknown>>): void;
  /** Follows redirects from `url` like a browser until the redirect URI. @returns its query */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a provider that redirects to this URI. */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  let person: { sub: string } & Readonly<Record<string, unknown>> = { sub: 'nobody' };
  const [clientId, clientSecret] = ['steward', 'a secret of the test'];
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('The provider has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [redirectUri.replace(/\/identity$/, '')],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], staff: ['staff_id'] },
    conformIdTokenClaims: false,
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ ...person, sub }) }),
    cookies: { keys: ['of the test'] },
    features: { devInteractions: { enabled: false } },
    ttl: {
      Interaction: 600,
      Grant: 600,
      Session: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  });
  const callback = provider.callback();
  listener.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) {
      void callback(request, response);
      return;
    }
    void createGrant(provider, person.sub).then((grantId) =>
      provider.interactionFinished(request, response, {
        login: {
          accountId: person.sub,
          ...(typeof person['signedInAt'] === 'number' && { ts: person['signedInAt'] }),
        },
        consent: { grantId },
      }),
    );
  });
  return {
    issuer,
    clientId,
    clientSecret,
    setPerson(claims) {
      person = claims;
    },
    visit: (url) => followRedirects(url, redirectUri),
    close: () => closeServer(listener),
  };

  async function createGrant(providerInstance: Provider, accountId: string): Promise<string> {
    const grant = new providerInstance.Grant({ accountId, clientId });
    grant.addOIDCScope('openid email profile');
    return grant.save();
  }
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.closeAllConnections();
    server.close((error) => (error ? reject(error) : resolve()));
  });

/** Minimal browser with cookies. */
async function followRedirects(url: string, until: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let currentUrl = url; ;) {
    if (currentUrl.startsWith(until)) return new URL(currentUrl).search;
    const response = await fetch(currentUrl, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    // Only in the error message.
    if (location === null)
      throw new Error(`${currentUrl} answered ${response.status}: ${await response.text()}`);
    currentUrl = new URL(location, currentUrl).href;
  }
}
