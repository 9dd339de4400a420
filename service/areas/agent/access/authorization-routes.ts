/** The addresses of the authorization server that clients call by themselves; their shapes are those of the RFCs. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, notFound } from '../../../kernel/api-error.ts';
import { consumeRateLimit, getAddressKey, type RateLimit } from '../../../kernel/auth/throttle.store.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { getOrigin } from '../../../kernel/http/api-surface.ts';
import { reportError } from '../../../kernel/http/error-responses.ts';
import type { Services } from '../../../kernel/http/handler.ts';
import {
  AUTHORIZE_PATH,
  getAuthorizationServer,
  REVOKE_PATH,
  SCOPE,
  TOKEN_PATH,
} from './authorization-server.ts';
import { AGENT_PATH } from './settings.ts';
import { isAnySiteServed } from './tokens.store.ts';

/** Metadata of the agent server as a protected resource (RFC 9728 3.1). */
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${AGENT_PATH}`;
const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';
/** The page of the console that asks the person. */
const CONSENT_PAGE = '/connect-agent';

const MAX_BODY_BYTES = 16_384;
/** Requests of an address: a client refreshes every 15 minutes, and many may share an address. */
const REQUEST_LIMIT: RateLimit = { maxCount: 120, windowSeconds: 60 };

interface AuthorizationRouteOptions {
  db: Db;
  services: Services;
}

/** Registers the routes. They answer 404 while no site of the installation uses the agent server. */
export async function registerAuthorizationRoutes(
  app: FastifyInstance,
  { db, services }: AuthorizationRouteOptions,
): Promise<void> {
  const { publicUrl } = services;
  const requireServed = async (): Promise<void> => {
    if (!(await isAnySiteServed(db))) throw notFound('The agent server');
  };
  const limit = async (request: FastifyRequest): Promise<void> => {
    const key = `agent-oauth:${getAddressKey(getOrigin(request).ip)}`;
    await consumeRateLimit(db, key, REQUEST_LIMIT, 'Too many requests from this address');
    await requireServed();
  };

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error: FastifyError | ApiError, request, reply) =>
      sendError(request, reply, error),
    );

    const resourceMetadata = {
      resource: `${publicUrl}${AGENT_PATH}`,
      resource_name: 'Steward agent server',
      authorization_servers: [publicUrl],
      scopes_supported: [SCOPE],
      bearer_methods_supported: ['header'],
    };
    // Also without the path of the resource, where some clients look first.
    for (const url of [RESOURCE_METADATA_PATH, '/.well-known/oauth-protected-resource'])
      scope.get(url, { onRequest: limit }, (_request, reply) => sendDocument(reply, resourceMetadata));
    scope.get(SERVER_METADATA_PATH, { onRequest: limit }, async (_request, reply) =>
      sendDocument(reply, (await getAuthorizationServer(services)).metadata),
    );

    // The page gets the parameters as one value, because its router would parse and rewrite them.
    scope.get(AUTHORIZE_PATH, { onRequest: limit }, (request, reply) => {
      const query = request.originalUrl.split('?').slice(1).join('?');
      return reply
        .header('cache-control', 'no-store')
        .redirect(`${publicUrl}${CONSENT_PAGE}?request=${encodeURIComponent(query)}`, 303);
    });

    for (const url of [TOKEN_PATH, REVOKE_PATH])
      scope.post(url, { onRequest: limit, bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
        const server = await getAuthorizationServer(services);
        const { status, headers, text } = await server.send(
          { db, origin: getOrigin(request) },
          {
            method: 'POST',
            url,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            payload: typeof request.body === 'string' ? request.body : '',
          },
        );
        return reply
          .code(status)
          .headers({ 'cache-control': 'no-store' })
          .type(headers['content-type'] ?? 'application/json')
          .send(text);
      });
  });
}

const sendDocument = (reply: FastifyReply, document: object): FastifyReply =>
  reply.header('cache-control', 'no-store').type('application/json').send(JSON.stringify(document));

/** Sends an error as RFC 6749 5.2 has it, and with the request id for the operator. */
function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: FastifyError | ApiError,
): FastifyReply {
  const { status, headers, message } = reportError(error, request);
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/json')
    .send(
      JSON.stringify({
        error:
          status >= 500 ? 'server_error' : status === 429 ? 'temporarily_unavailable' : 'invalid_request',
        error_description:
          status === 415 ? 'Send a form: Content-Type: application/x-www-form-urlencoded' : message,
        requestId: request.id,
      }),
    );
}
