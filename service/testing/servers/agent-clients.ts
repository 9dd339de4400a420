/** A client that persons connect to the agent server (OAuth), with its metadata document on this machine. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';

/** Certificate of 127.0.0.1, for NODE_EXTRA_CA_CERTS of a service. */
export const CERTIFICATE_FILE = fileURLToPath(new URL('loopback-certificate.pem', import.meta.url));
const readPem = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Options of a server with the certificate. */
export const readLoopbackTls = (): { key: string; cert: string } => ({
  key: readPem('loopback-key.pem'),
  cert: readPem('loopback-certificate.pem'),
});

/** Makes this process trust the certificate. */
export const trustLoopbackCertificate = (): void =>
  setDefaultCACertificates([...getCACertificates('default'), readPem('loopback-certificate.pem')]);

export interface MetadataServer {
  clientId: string;
  /** The document; tests change it. */
  document: Record<string, unknown>;
  /** Number of requests for it. */
  readonly requests: number;
  close(): void;
}

/** Serves the metadata document of a native client over TLS (OAuth Client ID Metadata Document). */
export async function startMetadataServer(): Promise<MetadataServer> {
  let requests = 0;
  const server = createServer(readLoopbackTls(), (_request, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(state.document));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clientId = `https://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`;
  const state: MetadataServer = {
    clientId,
    document: {
      client_id: clientId,
      client_name: 'Example agent',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    get requests() {
      return requests;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return state;
}

/** A verifier of a client with the parameters of its authorization request. */
export function createAuthorizationRequest(
  clientId: string,
  resource: string,
  redirectUri = 'http://127.0.0.1:4321/callback',
) {
  const verifier = randomBytes(32).toString('base64url');
  return {
    verifier,
    params: {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: '12345678901234567890',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
    },
  };
}
