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

/** Time in which a reader must take what it was sent. */
export interface ReaderLimits {
  /** While the service runs. */
  takeMs: number;
  /** When the service stops: enough for a connection that works. */
  stopMs: number;
}

const READER_LIMITS: ReaderLimits = { takeMs: 30_000, stopMs: 500 };

/** Formats an event. `data` must be JSON, which has no line breaks. */
export const formatEvent = (id: number, data: string): string => `id: ${id}\ndata: ${data}\n\n`;

/**
 * Sends events as they come, uncompressed and unbuffered. Errors before the first event become an error response; 503 once the
 * service stops. HEAD opens no stream, and neither does a client that has gone already. A reader that stops reading is disconnected, so that it holds neither its place nor the stop.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  open: OpenEvents,
  limits = READER_LIMITS,
): Promise<FastifyReply> {
  const { signal: stopping } = request.server.drain;
  if (stopping.aborted) throw retryLater(503, 'The service is stopping', 1);
  // Proxies must not collect events: `no-transform` and the header of nginx.
  const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
  const type = 'text/event-stream; charset=utf-8';
  const { raw } = reply;
  // A response that is closed emits no `close` any more, which would end the stream.
  if (request.method === 'HEAD' || raw.destroyed) return reply.headers(headers).type(type).send();
  const ending = new AbortController();
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
  // Without `setHeader`, which keeps an object for each header as long as the response is open.
  const lines = Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  raw.writeHead(200, lines);
  raw.flushHeaders();
  void writeEvents(raw, events, signal, limits).catch((error: unknown) => {
    request.log.error({ err: error }, 'A stream of events failed');
    raw.destroy();
  });
  return reply;
}

/** Writes events, each when the client has taken those before, and ends the response after the last, or when it takes none. */
async function writeEvents(
  raw: ServerResponse,
  events: AsyncIterable<string>,
  signal: AbortSignal,
  limits: ReaderLimits,
): Promise<void> {
  for await (const text of events) {
    if (signal.aborted && raw.destroyed) return;
    if (!raw.write(text) && !raw.destroyed && !(await isTaken(raw, 'drain', signal, limits))) {
      raw.destroy();
      return;
    }
  }
  raw.end();
  if (!raw.writableFinished && !raw.destroyed && !(await isTaken(raw, 'finish', signal, limits)))
    raw.destroy();
}

/** Whether the response takes what was written within the time for it, or is closed. */
function isTaken(
  raw: ServerResponse,
  event: 'drain' | 'finish',
  signal: AbortSignal,
  { takeMs, stopMs }: ReaderLimits,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const finish = () => resolve(true);
  let timer = setTimeout(resolve, signal.aborted ? stopMs : takeMs, false);
  const handleStop = () => {
    clearTimeout(timer);
    timer = setTimeout(resolve, stopMs, false);
  };
  raw.on(event, finish).on('close', finish);
  signal.addEventListener('abort', handleStop);
  return promise.finally(() => {
    clearTimeout(timer);
    raw.off(event, finish).off('close', finish);
    signal.removeEventListener('abort', handleStop);
  });
}
