/** A real OpenID provider on this machine, with people who are signed in as soon as they are named. */
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';

export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The person who comes next: what the provider vouches for; `signedInAt` in seconds, by default this moment. */
  setPerson(claims: { sub: string } & Readonly<Record<string, unknown>>): void;
  /** Follows an address as a browser would, until it comes back; answers the query it comes back with. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts one that sends people back to this address. */
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
    void grantFor(provider, person.sub).then((grantId) =>
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
    visit: (url) => follow(url, redirectUri),
    close: () => closed(listener),
  };

  async function grantFor(of: Provider, accountId: string): Promise<string> {
    const grant = new of.Grant({ accountId, clientId });
    grant.addOIDCScope('openid email profile');
    return grant.save();
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.closeAllConnections();
    server.close((error) => (error ? reject(error) : resolve()));
  });

/** A browser of few cookies. */
async function follow(url: string, until: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let at = url; ;) {
    if (at.startsWith(until)) return new URL(at).search;
    // oxlint-disable-next-line no-await-in-loop -- one redirect after the other
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      cookies.set(name, value);
    }
    const to = response.headers.get('location');
    // oxlint-disable-next-line no-await-in-loop -- told once
    if (to === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`);
    at = new URL(to, at).href;
  }
}
