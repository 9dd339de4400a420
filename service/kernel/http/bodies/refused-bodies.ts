import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../api-error.ts';
import type { Drain } from '../drain.ts';

/** Bytes of a refused body that are read and discarded, twice those of the largest JSON body of the contract. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;
/** The same for a form with files whose sender is authorized to send it. */
const MAX_DISCARDED_FORM_BYTES = 288 * 1024 * 1024;

const acceptedForms = new WeakSet<IncomingMessage>();

/** Marks a request that may send a form, so that a refusal of the form reaches the client however much is still to come. */
export const acceptForm = ({ raw }: FastifyRequest): unknown => acceptedForms.add(raw);

/** Requests that send their body only after `100 Continue` (RFC 9110 10.1.1) and have not received it. */
const waitingRequests = new WeakSet<IncomingMessage>();

/** Whether the head of a request announces a body. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Refuses bodies that say they are too long before they are read, and asks clients with `Expect: 100-continue` for the body only
 * when the request has been accepted up to there: after authentication and authorization.
 */
export function registerBodyAdmission(app: FastifyInstance): void {
  app.server.on('checkContinue', (raw, response) => {
    waitingRequests.add(raw);
    app.server.emit('request', raw, response);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request) && !waitingRequests.has(request.raw)) return done(null, payload);
    const { bodyLimit } = request.routeOptions;
    const length = Number(request.headers['content-length'] ?? 0);
    // Forms with files have limits for each part instead.
    if (length > bodyLimit && !/^multipart\//i.test(request.headers['content-type'] ?? ''))
      return done(
        new ApiError(413, `The body has ${length} bytes; this operation accepts at most ${bodyLimit}`),
      );
    if (waitingRequests.delete(request.raw)) reply.raw.writeContinue();
    return done(null, payload);
  });
}

/** Whether the client is sending a body that has not been read to its end. */
export function isReceivingBody(request: FastifyRequest): boolean {
  const { raw } = request;
  // A request from this process (app.inject) has no connection, and its body is complete.
  return raw.socket instanceof Socket && !raw.complete && hasBody(request);
}

/**
 * Sends a response while the client is still sending its body. Closing the connection at once would reset it, and many clients would
 * report that instead of the response. The rest of the body is therefore read and discarded before the response ends, up to a
 * limit and to the timeout of bodies (body-timeout.ts). Afterwards the connection is kept unless `closes` or the service is stopping.
 */
export function sendWhileReceiving(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, closes }: { content: string; closes: boolean },
): FastifyReply {
  const { raw, server } = request;
  const isWaiting = waitingRequests.has(raw);
  const length = Number(request.headers['content-length'] ?? Infinity);
  const maxBytes = acceptedForms.has(raw) ? MAX_DISCARDED_FORM_BYTES : MAX_DISCARDED_BYTES;
  const isStopping = server.hasDecorator('drain') && server.getDecorator<Drain>('drain').isDraining;
  // A client that waits for 100 Continue may send the body or not: only the end of the connection is clear to both.
  if (closes || isStopping || isWaiting || length > maxBytes) reply.header('connection', 'close');
  // Fastify sets it for bodies that are too long.
  else reply.removeHeader('connection');
  if (isWaiting) return reply.send(content);
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(reply.statusCode, { 'content-length': Buffer.byteLength(content) });
  reply.raw.write(content);
  discardBody(raw, maxBytes, () => reply.raw.end());
  return reply;
}

/** Reads the rest of a body; calls `onEnd` at its end, at the limit, or when the connection is closed. */
function discardBody(raw: IncomingMessage, maxBytes: number, onEnd: () => void): void {
  let discardedBytes = 0;
  const finish = () => {
    raw.off('data', count);
    raw.off('end', finish);
    raw.off('close', finish);
    onEnd();
  };
  const count = (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > maxBytes) finish();
  };
  raw.unpipe();
  raw.on('data', count);
  raw.once('end', finish);
  raw.once('close', finish);
  raw.resume();
}
