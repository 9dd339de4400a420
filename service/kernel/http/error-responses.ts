import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, conflict, retryLater } from '../api-error.ts';
import { getDbError, dbErrorCodes, isWorkerLost, isWorthRetrying } from '../db/driver/errors.ts';
import { isDiskFull } from '../error-code.ts';
import { isReceivingBody, sendWhileReceiving } from './bodies/refused-bodies.ts';
import { negotiateMediaType } from './json.ts';
import { getUrlError, MAX_HEAD_BYTES } from './request-head.ts';

/** Messages for errors of Fastify itself, whose own texts describe its internals. */
const MESSAGES_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read: its body is not valid JSON',
  415: 'Send JSON: application/json, text/json, application/json-patch+json or application/*+json',
};

/** Converts any error to an ApiError. Unexpected errors become a 500 without details. */
function toApiError(error: FastifyError | ApiError, { routeOptions }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error.statusCode === 413)
    return new ApiError(
      413,
      `The body has more than the ${routeOptions.bodyLimit} bytes that this operation accepts`,
    );
  if (getDbError(error)?.code === dbErrorCodes.aborted)
    return new ApiError(499, 'The client closed the request');
  if (isDiskFull(error) || getDbError(error)?.code === dbErrorCodes.diskFull)
    return new ApiError(
      507,
      'The storage of the service is full, so nothing of this request was stored. The operator of the service must free space.',
    );
  // Handlers look up what a request refers to; only what is deleted after that gets here.
  if (getDbError(error)?.code === dbErrorCodes.foreignKeyViolation)
    return conflict(
      'Something that this request refers to was deleted at the same time. Nothing was stored.',
    );
  if (getDbError(error)?.code === dbErrorCodes.readOnly)
    return retryLater(503, 'The database is read-only right now, so nothing was changed', 5);
  // Without Retry-After: to repeat a change that was stored could make it twice.
  if (getDbError(error)?.code === dbErrorCodes.outcomeUnknown)
    return new ApiError(
      503,
      'The database did not confirm the change. Check whether it was made before you repeat it.',
    );
  if (getDbError(error)?.code === dbErrorCodes.budgetSpent)
    return retryLater(503, 'This request waited too long for the database, so it was ended', 5);
  if (getDbError(error)?.code === dbErrorCodes.budgetSpentLate)
    return new ApiError(
      503,
      'This request waited too long for the database, so it was ended. Check what it has changed before you repeat it.',
    );
  if (isWorkerLost(error))
    return retryLater(503, 'The server that has the data of this site is not available right now', 5);
  if (isWorthRetrying(error)) return retryLater(503, 'The database is not available right now', 2);
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status < 500) return new ApiError(status, MESSAGES_BY_STATUS[status] ?? error.message);
  return new ApiError(
    500,
    'An unexpected error occurred. The log of the service contains it under the request id.',
  );
}

/** Converts an error for the response; the cause of a 5xx is only logged. */
export function reportError(error: FastifyError | ApiError, request: FastifyRequest): ApiError {
  const apiError = toApiError(error, request);
  if (apiError.status >= 500) request.log.error({ err: error }, 'request failed');
  else if (getDbError(error)?.code === dbErrorCodes.foreignKeyViolation)
    request.log.warn({ err: error }, 'the database refused the request');
  return apiError;
}

/** Sends the error body of shapes 1. */
function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  const content = JSON.stringify({
    ...error.extra,
    message: error.message,
    requestId: request.id,
    ...(error.fields.length > 0 && { errors: error.fields }),
  });
  reply
    .code(error.status)
    .headers({ 'cache-control': 'no-store', ...error.headers })
    .type(negotiateMediaType(request.headers.accept));
  if (!isReceivingBody(request)) return reply.send(content);
  return sendWhileReceiving(request, reply, { content, closes: error.headers['connection'] === 'close' });
}

const TIMEOUT_MESSAGE = 'The request did not arrive in time';

/** Status and message for errors of the HTTP parser, by error code. */
const PARSER_ERRORS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    `The URL and the headers are larger than ${MAX_HEAD_BYTES} bytes`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', TIMEOUT_MESSAGE],
};

/** Fastify options that send the same error body for errors outside routes, including sockets without a request. */
export const connectionErrorHandlers = {
  frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    void sendError(
      request,
      reply,
      new ApiError(error.statusCode ?? 400, 'The URL of the request is invalid'),
    );
  },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const [status, message] = PARSER_ERRORS[error.code ?? ''] ?? [
      '400 Bad Request',
      'The request cannot be read',
    ];
    endConnection(socket, status, message);
  },
};

function endConnection(socket: Socket, status: string, message: string): void {
  const body = JSON.stringify({ message, requestId: randomUUID() });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Ends the connection of a request whose body did not arrive in time; sends 408 unless the response has started. */
export function rejectLateBody(socket: Socket, hasResponse: boolean): void {
  if (!socket.writable || hasResponse) {
    socket.destroy();
    return;
  }
  socket.once('finish', () => socket.destroy());
  endConnection(socket, '408 Request Timeout', TIMEOUT_MESSAGE);
}

/** Sends the error body of shapes 1 for every 4xx and 5xx. */
export function registerErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | ApiError, request, reply) =>
    sendError(request, reply, reportError(error, request)),
  );
  app.setNotFoundHandler((request, reply) => sendError(request, reply, createUnknownPathError(request)));
}

const createUnknownPathError = ({ method, url, originalUrl }: FastifyRequest): ApiError =>
  getUrlError(originalUrl) ?? new ApiError(404, `${method} ${url.split('?')[0]} does not exist`);

/** Refuses unknown paths before the body is read: what is wrong with it says nothing to whoever mistyped the address. */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) =>
    request.is404 ? done(createUnknownPathError(request)) : done(),
  );
}
