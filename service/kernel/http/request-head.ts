/** Limits and checks of the request line and the headers, before anything else looks at them. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.ts';

const MAX_HEADERS_BYTES = 8_192;
const MAX_URL_LENGTH = 8_192;
/**
 * `query` of queryRows has at most 16,384 characters (contract), which percent-encoding makes twelve times as long at most; the
 * rest is for the path and the other parameters. Below the limit of Node, so that the response says what is too long.
 */
const MAX_ROWS_URL_LENGTH = 16_384 * 12 + 32_768;
/** Limit of Node for the request line and all headers together. */
export const MAX_HEAD_BYTES = MAX_ROWS_URL_LENGTH + MAX_HEADERS_BYTES;
/** More than any operation has parameters and queryRows may have fields. */
const MAX_QUERY_PARAMETERS = 1_000;

/** As for errors of the HTTP parser: whatever follows on the connection is not trusted. */
const CLOSE = { connection: 'close' };

const ROWS_PATH = /^[^?]*\/entrydata\/rows\//i;

/** The error for an URL that is longer than its operation allows, undefined for any other. */
export function getUrlError(url: string): ApiError | undefined {
  const limit = ROWS_PATH.test(url) ? MAX_ROWS_URL_LENGTH : MAX_URL_LENGTH;
  if (url.length > limit)
    return new ApiError(
      414,
      `The URL has ${url.length} characters; this operation allows ${limit}. Send a long query in the body instead.`,
    );
  if (
    url.length > MAX_QUERY_PARAMETERS &&
    url.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS
  )
    return new ApiError(414, `The URL has more than ${MAX_QUERY_PARAMETERS} query parameters`);
  return undefined;
}

/** Leads a request whose URL is too long to the handler of unknown paths, so that nobody parses its query. */
export const rewriteTooLongUrl = ({ url = '/' }: IncomingMessage): string =>
  getUrlError(url) ? '/url-too-long' : url;

/** Requests with an expectation that Node does not know. */
const unknownExpectations = new WeakSet<IncomingMessage>();

/**
 * Rejects requests with headers that are too large (431), without a Host header or with two (400, RFC 9112 3.2), and with an unknown
 * expectation (417, RFC 9110 10.1.1). Node itself would answer the last ones without a body.
 */
export function registerHeadChecks(app: FastifyInstance): void {
  app.server.on('checkExpectation', (raw, response) => {
    unknownExpectations.add(raw);
    app.server.emit('request', raw, response);
  });
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { rawHeaders } = raw;
    let bytes = 0;
    let hostCount = 0;
    for (let index = 0; index < rawHeaders.length; index += 1) {
      const text = rawHeaders[index] ?? '';
      // Two characters after each name and each value.
      bytes += text.length + 2;
      if (index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host') hostCount += 1;
    }
    if (bytes > MAX_HEADERS_BYTES)
      return done(new ApiError(431, 'The headers are larger than 8 KiB', [], CLOSE));
    if (hostCount > 1) return done(new ApiError(400, 'The request has more than one Host header', [], CLOSE));
    if (raw.httpVersion === '1.1' && raw.headers.host === undefined)
      return done(new ApiError(400, 'The request has no Host header', [], CLOSE));
    if (unknownExpectations.has(raw))
      return done(
        new ApiError(417, 'Of the expectations of a request only 100-continue is known', [], CLOSE),
      );
    return done();
  });
}
