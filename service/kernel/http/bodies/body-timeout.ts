import type { FastifyInstance, FastifyRequest } from 'fastify';
import { rejectLateBody } from '../error-responses.ts';
import { isReceivingBody } from './refused-bodies.ts';

/** Time within which the body of a request must arrive (T23); the response may take longer. */
interface BodyTimeouts {
  defaultMs: number;
  /** For multipart forms with files, and parts of an upload. */
  uploadMs: number;
}
export const BODY_TIMEOUTS: BodyTimeouts = { defaultMs: 30_000, uploadMs: 120_000 };

const isUpload = ({ routeOptions, headers }: FastifyRequest): boolean => {
  const {
    hasRawBody = false,
    hasStreamedBody = false,
    acceptsMultipart = false,
  } = routeOptions.config.operation ?? {};
  return (
    hasRawBody ||
    hasStreamedBody ||
    (acceptsMultipart && /^multipart\/form-data\b/i.test(headers['content-type'] ?? ''))
  );
};

/**
 * Ends the connections of clients that send a body too slowly. Fastify has one `requestTimeout` for all requests, which is that of
 * uploads; this adds the shorter timeout for all other bodies.
 */
export function registerBodyTimeout(app: FastifyInstance, { defaultMs }: BodyTimeouts): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    if (!isReceivingBody(request) || isUpload(request)) return done();
    const timeout = setTimeout(() => {
      if (!raw.complete) rejectLateBody(raw.socket, reply.raw.headersSent);
    }, defaultMs).unref();
    for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timeout));
    return done();
  });
}
