/** All outgoing requests of the service; only mail and telemetry are sent elsewhere (T21, docs/decisions/0038). */
import { lookup as lookupInDns, type LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectSocket, isIP, isIPv4, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { validateNetwork } from '../../../contract/rules/networks.ts';
import type { Log } from '../telemetry/log.ts';
import { getActiveSpan } from '../telemetry/tracing.ts';
import { toBlockList } from './networks.ts';

const MAX_RESPONSE_BYTES = 1_000_000;
/** Time for a request, and exactly the time after which every failure is reported. */
const TIME_LIMIT_MS = 5_000;
/** Share of the time limit after which a connection is given up, so that this failure is reported as late as any other. */
const NETWORK_SHARE = 0.9;

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** IPv4 addresses of the IANA special-purpose registry: this network, private, shared, loopback, link-local and so on. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '));
/** Parts of 2000::/3, outside of which no IPv6 address is public, that are not: protocols, tunnels and documentation. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialIpv4 = toBlockList(SPECIAL_IPV4);
const specialIpv6 = toBlockList(SPECIAL_IPV6);
const globalIpv6 = toBlockList(['2000::/3']);

const isPublicAddress = (address: string): boolean =>
  isIPv4(address)
    ? !specialIpv4.check(address, 'ipv4')
    : globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');

/** Servers that the service may call: all public addresses, a host name, or a network; with or without a port. */
export type EgressRule =
  | { kind: 'public' }
  | { kind: 'host'; host: string; port: number | undefined }
  | { kind: 'network'; network: string; port: number | undefined };

const HOST_NAME = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const PORT = /^[1-9]\d{0,4}$/;

/** Parses `public`, a host name, an address or a network, followed by `:port` if needed; IPv6 with a port in brackets. */
function parseRule(text: string): EgressRule | undefined {
  if (text === 'public') return { kind: 'public' };
  const bracketed = /^\[([^\]]+)\](?::(.+))?$/.exec(text);
  const isBareIpv6 = !bracketed && text.split(':').length > 2;
  const parts = bracketed ? bracketed.slice(1) : isBareIpv6 ? [text] : text.split(':');
  const [target = '', portText] = parts;
  if (portText !== undefined && !(PORT.test(portText) && Number(portText) <= 65_535)) return undefined;
  const port = portText === undefined ? undefined : Number(portText);
  if (validateNetwork(target) === undefined) return { kind: 'network', network: target, port };
  // A misspelled address such as 10.0.0.300 is not a host name.
  if (bracketed || !HOST_NAME.test(target) || /^[\d.]+$/.test(target)) return undefined;
  return { kind: 'host', host: target.toLowerCase(), port };
}

/** Parses a list of rules separated by commas. @returns undefined if one of them is invalid */
export function parseEgressRules(text: string): EgressRule[] | undefined {
  const parts = text.split(',').map((part) => part.trim());
  const rules = parts.filter(Boolean).map(parseRule);
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** A server of an outgoing request; `host` is a name in lower case, or an address without brackets. */
interface EgressServer {
  host: string;
  port: number;
}

/** Whether the rules allow a connection to this address for a server. */
function isAllowed(rules: readonly EgressRule[], { host, port }: EgressServer, address: string): boolean {
  return rules.some((rule) => {
    if (rule.kind === 'public') return isPublicAddress(address);
    if (rule.port !== undefined && rule.port !== port) return false;
    if (rule.kind === 'host') return rule.host === host;
    return toBlockList([rule.network]).check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  });
}

/** Schemes of a protocol with and without TLS. */
const HTTP_SCHEMES = { secure: 'https', plain: 'http' };
const NATS_SCHEMES = { secure: 'tls', plain: 'nats' };

/** Why the service refuses to call a URL; undefined if it is allowed. Without TLS only this machine is called. */
export function validateEgressUrl(address: string, { secure, plain } = HTTP_SCHEMES): string | undefined {
  if (!URL.canParse(address)) return `must be a URL such as ${secure}://login.example.com`;
  const { protocol, hostname, username, password } = new URL(address);
  if (username || password) return 'must not contain a user name or password';
  if (protocol === `${secure}:` || (protocol === `${plain}:` && LOCAL_HOSTS.has(hostname))) return undefined;
  return `must start with ${secure}://`;
}

/** Why the service refuses to connect to a NATS server; undefined if it is allowed. */
export const validateNatsUrl = (url: string): string | undefined => validateEgressUrl(url, NATS_SCHEMES);

/** Any failure of an outgoing request. The text is always the same; the cause is only for the log. */
export class EgressError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be called', { cause });
    this.name = 'EgressError';
  }
}

export interface Egress {
  /**
   * `fetch` restricted to HTTPS (or this machine) and to the allowed addresses, without redirects, with a time limit and a
   * limit of 1 MB for the response. The connection goes to an address that was checked, so a name that resolves to another
   * address a moment later changes nothing.
   * @throws EgressError after the time limit, whatever failed
   */
  readonly fetch: (address: string | URL, init?: RequestInit) => Promise<Response>;
  /**
   * Runs a task that calls `fetch`, and reports its failure after the time limit as well: a response that makes no sense
   * looks like a port that is closed or silent.
   * @throws EgressError
   */
  readonly run: <T>(task: () => Promise<T>) => Promise<T>;
  /**
   * Opens a TCP connection under the same rules, for protocols other than HTTP. Callers do so within `run` and end the exchange
   * within `timeLimitMs`; the connection is closed when it has received more than 1 MB.
   * @throws Error for `run`, which hides it
   */
  readonly connect: (server: EgressServer) => Promise<Socket>;
  /** Milliseconds for an exchange; `run` reports failures after them. */
  readonly timeLimitMs: number;
}

interface EgressOptions {
  rules: readonly EgressRule[];
  log: Pick<Log, 'warn'>;
  timeLimitMs?: number;
  /** Resolves a host name; replaced in tests. */
  lookup?: (host: string) => Promise<LookupAddress[]>;
}

const lookupAll = promisify(lookupInDns);

/** Creates the only way out of the service. */
export function createEgress({
  rules,
  log,
  timeLimitMs = TIME_LIMIT_MS,
  lookup = (host) => lookupAll(host, { all: true }),
}: EgressOptions): Egress {
  async function run<T>(task: () => Promise<T>, target?: string): Promise<T> {
    const end = performance.now() + timeLimitMs;
    try {
      return await task();
    } catch (error) {
      const isReported = error instanceof EgressError || Object(error).cause instanceof EgressError;
      if (!isReported) log.warn({ target, err: error }, 'outgoing request failed');
      await sleep(Math.max(0, end - performance.now()));
      throw error instanceof EgressError ? error : new EgressError(error);
    }
  }

  /** Allowed addresses of a server. @throws Error without one */
  async function resolve(server: EgressServer): Promise<LookupAddress[]> {
    const { host } = server;
    const family = isIP(host);
    const resolved = family ? [{ address: host, family }] : await lookup(host);
    const addresses = resolved.filter(({ address }) => isAllowed(rules, server, address));
    if (addresses.length > 0) return addresses;
    throw new Error(
      `STEWARD_EGRESS_ALLOW does not allow ${resolved.map(({ address }) => address).join(', ') || host}`,
    );
  }

  async function connect(server: EgressServer): Promise<Socket> {
    const signal = AbortSignal.timeout(timeLimitMs * NETWORK_SHARE);
    const [first] = await resolve(server);
    signal.throwIfAborted();
    const socket = connectSocket({ host: first?.address ?? '', port: server.port });
    const { promise, resolve: open, reject } = Promise.withResolvers<void>();
    const end = () => socket.destroy(new Error('The connection was not accepted in time'));
    signal.addEventListener('abort', end, { once: true });
    socket.once('connect', open).once('error', reject);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', end);
    }
    boundReceivedBytes(socket);
    return socket;
  }

  async function send(url: URL, init: RequestInit | undefined): Promise<Response> {
    const issue = validateEgressUrl(url.href);
    if (issue !== undefined) throw new Error(`The URL ${issue}`);
    const timeout = AbortSignal.timeout(timeLimitMs * NETWORK_SHARE);
    const signal = init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
    aborted.catch(() => {});
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const addresses = await Promise.race([resolve({ host, port }), aborted]);
    return Promise.race([
      exchange(url, new Request(url, { ...init, signal: null }), { addresses, signal }),
      aborted,
    ]);
  }

  return {
    fetch: (address, init) => {
      const url = new URL(address);
      const traceparent = getActiveSpan()?.traceparent;
      const headers = new Headers(init?.headers);
      if (traceparent !== undefined) headers.set('traceparent', traceparent);
      return run(() => send(url, { ...init, headers }), url.origin);
    },
    run: (task) => run(task),
    connect,
    timeLimitMs,
  };
}

/** Interval at which the bytes that a connection has received are counted. */
const COUNT_INTERVAL_MS = 50;

/** Closes a connection that receives more than a response may have. A timer, because listeners of the socket belong to its reader. */
function boundReceivedBytes(socket: Socket): void {
  const timer = setInterval(() => {
    if (socket.bytesRead > MAX_RESPONSE_BYTES)
      socket.destroy(new Error(`The server has sent more than ${MAX_RESPONSE_BYTES} bytes`));
    if (socket.destroyed) clearInterval(timer);
  }, COUNT_INTERVAL_MS).unref();
}

/** Sends a request to one of these addresses and reads the response. */
async function exchange(
  url: URL,
  source: Request,
  { addresses, signal }: { addresses: readonly LookupAddress[]; signal: AbortSignal },
): Promise<Response> {
  const body = Buffer.from(await source.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: source.method,
    headers: { ...Object.fromEntries(source.headers), 'content-length': body.length },
    agent: false,
    signal,
    // Only for names: addresses in the URL are connected to as they are, after the check.
    lookup: (_host, options, done) => {
      const [first] = addresses;
      if (options.all) done(null, [...addresses]);
      else done(null, first?.address ?? '', first?.family);
    },
  });
  outgoing.once('response', resolve).once('error', reject).end(body);
  const response = await promise;
  const { statusCode = 0 } = response;
  const content = await readBody(response);
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  // A Response of these statuses has no body (Fetch standard, null body status).
  return new Response([204, 205, 304].includes(statusCode) ? null : content, { status: statusCode, headers });
}

async function readBody(response: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`The response exceeds ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
