import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4 } from 'node:net';

/** Ids of other systems that are taken over: no spaces or control characters, and short enough for every log line. */
const REQUEST_ID = /^[\w.:/+=@-]{8,128}$/;
/** `traceparent` of W3C Trace Context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/;

const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

function toBlockList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of proxies.flatMap((proxy) => NAMED_NETWORKS[proxy] ?? [proxy])) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

/**
 * Chooses the id of a request: that of the header `X-Request-Id` if a trusted proxy sent it, otherwise a new one. The id is in the
 * audit log, so that callers must not choose it.
 */
export function createRequestIds(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = toBlockList(trustedProxies);
  return ({ headers, socket }) => {
    const id = headers['x-request-id'];
    if (typeof id !== 'string' || !REQUEST_ID.test(id)) return randomUUID();
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    return address !== '' && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') ? id : randomUUID();
  };
}

/** The trace to which the request belongs, for the log; undefined without a valid `traceparent`. */
export const getTraceId = (headers: IncomingMessage['headers']): string | undefined =>
  TRACEPARENT.exec(headers['traceparent']?.toString() ?? '')?.[1];
