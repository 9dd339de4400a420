/** Server-sent events (HTML standard, 9.2): responses that go on until the client, the handler or the service ends them. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { retryLater } from '../api-error.ts';
import { awaitFirstPart } from './first-part.ts';

/**
 * Begins the stream of one response, as text of events. It must end soon after `signal` fires: the client has disconnected, or the
 * service stops. @throws ApiError when no further stream is possible
 */
export type OpenEvents = (signal: AbortSignal) => AsyncIterable<string>;

/** Formats an event. `data` must be JSON, which has no line breaks. */
export const formatEvent = (id: number, data: string): string => `id: ${id}\ndata: ${data}\n\n`;

/**
 * Sends events as they come, uncompressed and unbuffered. Errors before the first event become an error response; 503 once the
 * service stops. HEAD opens no stream.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  open: OpenEvents,
): Promise<FastifyReply> {
  const { signal: stopping } = request.server.drain;
  if (stopping.aborted) throw retryLater(503, 'The service is stopping', 1);
  // Proxies must not collect events: `no-transform` and the header of nginx.
  const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
  const type = 'text/event-stream; charset=utf-8';
  if (request.method === 'HEAD') return reply.headers(headers).type(type).send();
  const ending = new AbortController();
  const { raw } = reply;
  const { signal } = ending;
  const end = () => ending.abort();
  stopping.addEventListener('abort', end);
  raw.once('close', () => {
    stopping.removeEventListener('abort', end);
    end();
  });
  const events = await awaitFirstPart(open(signal));
  // Written here: what Fastify and its plugins keep for a stream is twice the memory of an open response.
  reply.headers(headers).type(type).hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  raw.statusCode = 200;
  raw.flushHeaders();
  void writeEvents(raw, events, signal).catch((error: unknown) => {
    request.log.error({ err: error }, 'A stream of events failed');
    raw.destroy();
  });
  return reply;
}

/** Writes events, each when the client has taken those before, and ends the response after the last. */
async function writeEvents(
  raw: ServerResponse,
  events: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  for await (const text of events) {
    if (signal.aborted && raw.destroyed) return;
    if (!raw.write(text) && !raw.destroyed) await waitUntilDrained(raw);
  }
  raw.end();
}

/** Resolves when the response takes more data or is closed. */
function waitUntilDrained(raw: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = () => {
    raw.off('drain', finish).off('close', finish);
    resolve();
  };
  raw.on('drain', finish).on('close', finish);
  return promise;
}
