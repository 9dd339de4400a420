import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { NAMED_NETWORKS, toBlockList } from '../network/networks.ts';
import { parseTraceparent } from '../telemetry/tracing.ts';

/** Ids of other systems that are taken over: no spaces or control characters, and short enough for every log line. */
const REQUEST_ID = /^[\w.:/+=@-]{8,128}$/;

/**
 * Chooses the id of a request: that of the header `X-Request-Id` if a trusted proxy sent it, otherwise a new one. The id is in the
 * audit log, so that callers must not choose it.
 */
export function createRequestIds(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = toBlockList(trustedProxies.flatMap((proxy) => NAMED_NETWORKS[proxy] ?? [proxy]));
  return ({ headers, socket }) => {
    const id = headers['x-request-id'];
    if (typeof id !== 'string' || !REQUEST_ID.test(id)) return randomUUID();
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    return address !== '' && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') ? id : randomUUID();
  };
}

/** The trace to which the request belongs, for the log; undefined without a valid `traceparent`. */
export const getTraceId = (headers: IncomingMessage['headers']): string | undefined =>
  parseTraceparent(headers)?.traceId;
