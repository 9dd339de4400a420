import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dbErrorOf, faults } from '../db/errors.ts';
import { ApiError } from './errors.ts';
import { answerType } from './negotiate.ts';

/** Words for what Fastify refuses before a handler runs; its own texts speak of its insides. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read: its body is not valid JSON',
  413: 'The body is larger than this operation allows',
  415: 'Send JSON: application/json, text/json, application/json-patch+json or application/*+json',
};

/** A database that is away or overloaded: SQLSTATE classes 08 and 53, cancelled statements, shutdown, and
 * transactions that lost against their rivals at every try. */
const AWAY = /^(08|53|57014|57P0|40001|40P01)/;

/** Any failure as a refusal with a status; what is not meant for the caller becomes a 500 that says nothing else. */
function refusalOf(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  if (dbErrorOf(error)?.code === faults.unasked)
    return new ApiError(499, 'The caller did not wait for the answer');
  if (AWAY.test(dbErrorOf(error)?.code ?? '')) {
    return new ApiError(503, 'The database does not answer at this moment', [], { 'retry-after': '2' });
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status < 500) return new ApiError(status, REFUSALS[status] ?? error.message);
  return new ApiError(500, 'The service failed to answer. The request id leads to the reason in its log.');
}

function send(request: FastifyRequest, reply: FastifyReply, refusal: ApiError): FastifyReply {
  return reply
    .code(refusal.status)
    .headers({ 'cache-control': 'no-store', ...refusal.headers })
    .type(answerType(request.headers.accept))
    .send(
      JSON.stringify({
        ...refusal.extra,
        message: refusal.message,
        requestId: request.id,
        ...(refusal.fields.length > 0 && { errors: refusal.fields }),
      }),
    );
}

const NOT_IN_TIME = 'The request did not arrive in time';

/** What the parser of HTTP refuses before there is a request: its code and the status and words for it. */
const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than 8 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', NOT_IN_TIME],
};

/** Options of the server for what fails outside every route: the same body, on a socket without a request too. */
export const outsideRoutes = {
  frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    void send(
      request,
      reply,
      new ApiError(error.statusCode ?? 400, 'The address of the request cannot be read'),
    );
  },
  clientErrorHandler: (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const [status, message] = UNREADABLE[error.code ?? ''] ?? [
      '400 Bad Request',
      'The request cannot be read',
    ];
    hangUp(socket, status, message);
  },
};

function hangUp(socket: Socket, status: string, message: string): void {
  const body = JSON.stringify({ message, requestId: randomUUID() });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Ends the connection of a request whose body does not come, with the words for it unless it is answered already. */
export function refuseLate(socket: Socket, isAnswered: boolean): void {
  if (!socket.writable || isAnswered) {
    socket.destroy();
    return;
  }
  socket.once('finish', () => socket.destroy());
  hangUp(socket, '408 Request Timeout', NOT_IN_TIME);
}

/** One error body for every 4xx and 5xx (shapes 1), the cause of a 5xx in the log alone. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | ApiError, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status >= 500 && refusal.status !== 501)
      request.log.error({ requestId: request.id, err: error }, 'request failed');
    return send(request, reply, refusal);
  });
  app.setNotFoundHandler((request, reply) =>
    send(request, reply, new ApiError(404, `Nothing is at ${request.method} ${request.url.split('?')[0]}`)),
  );
}
