/** Server-sent events (HTML standard, 9.2): responses that go on until the client, the handler or the service ends them. */
import { Readable } from 'node:stream';
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
  const ending = new AbortController();
  const end = () => ending.abort();
  stopping.addEventListener('abort', end);
  reply.raw.once('close', () => {
    stopping.removeEventListener('abort', end);
    end();
  });
  const events = request.method === 'HEAD' ? undefined : await awaitFirstPart(open(ending.signal));
  // Proxies must not collect events: `no-transform` and the header of nginx.
  reply.headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' });
  reply.type('text/event-stream; charset=utf-8');
  return events ? reply.send(Readable.from(events)) : reply.send();
}
