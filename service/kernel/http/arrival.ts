import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseLate } from './failures.ts';

/** How long a request may take to arrive (T23); what is answered meanwhile may take longer. */
interface Arrival {
  usualMs: number;
  /** A form with files. */
  filesMs: number;
}
export const usualArrival: Arrival = { usualMs: 30_000, filesMs: 120_000 };

const brings = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const bringsFiles = ({ routeOptions, headers }: FastifyRequest): boolean =>
  (routeOptions.config.operation?.multipart ?? false) &&
  /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');

/**
 * Cuts off slow senders of bodies. The server knows one time for all requests, that of files: what brings none has the
 * shorter one from here.
 */
export function awaitBodies(app: FastifyInstance, { usualMs }: Arrival): void {
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    // What comes from this very process has no connection, and is there as a whole.
    if (!(raw.socket instanceof Socket)) return;
    if (raw.complete || !brings(request) || bringsFiles(request)) return;
    const late = setTimeout(() => {
      if (!raw.complete) refuseLate(raw.socket, reply.raw.headersSent);
    }, usualMs).unref();
    // It has come, or whoever sent it is gone.
    for (const over of ['end', 'close']) raw.once(over, () => clearTimeout(late));
  });
}
