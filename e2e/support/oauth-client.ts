/** A native client of the agent server that signs in by itself: the SDK of the protocol with a browser of the test. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { startMetadataServer } from '../../service/testing/servers/agent-clients.ts';

export interface OAuthClient {
  /** Connects, if need be after the person has decided: `decide` opens the address and resolves after the redirect. */
  connect(decide: (address: string) => Promise<void>): Promise<Client>;
  /** Replaces the access token by one that is not valid, so that the client must refresh. */
  loseAccessToken(): void;
  /** Access tokens that the client has received. */
  readonly received: readonly string[];
  close(): void;
}

/** Starts a client with its metadata document and its redirect URI on this machine. */
export async function startOAuthClient(serverUrl: string): Promise<OAuthClient> {
  const metadata = await startMetadataServer();
  let answer: URLSearchParams | undefined;
  const callback = createServer((request, response) => {
    answer = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams;
    response.setHeader('content-type', 'text/html').end('<title>Connected</title><h1>Connected</h1>');
  }).listen(0, '127.0.0.1');
  await once(callback, 'listening');
  const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  let address = '';
  const received: string[] = [];
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl: metadata.clientId,
    clientMetadata: {
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => ({ client_id: metadata.clientId }),
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved;
      received.push(saved.access_token);
    },
    redirectToAuthorization(url) {
      address = url.href;
    },
    saveCodeVerifier(saved) {
      verifier = saved;
    },
    codeVerifier: () => verifier,
  };
  const open = async () => {
    const transport = new StreamableHTTPClientTransport(new URL('/api/agent/mcp', serverUrl), {
      authProvider: provider,
    });
    const client = new Client({ name: 'oauth-agent', version: '1.0.0' });
    return { transport, client, connected: client.connect(transport).then(() => client) };
  };
  return {
    async connect(decide) {
      const first = await open();
      try {
        return await first.connected;
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        await decide(address);
        if (!answer) throw new Error('The browser did not return to the client', { cause: error });
        await first.transport.finishAuth(answer);
        return (await open()).connected;
      }
    },
    loseAccessToken() {
      if (tokens) tokens = { ...tokens, access_token: 'lost' };
    },
    received,
    close() {
      callback.closeAllConnections();
      callback.close();
      metadata.close();
    },
  };
}
