/** The one place from which the service calls other servers besides the one for mail (T21). */
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1_000_000;

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why the service calls no such address, or undefined: plain HTTP never leaves the machine. */
export function egressFault(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be an address such as https://login.example.com';
  const { protocol, hostname, username, password } = new URL(address);
  if (username || password) return 'must not hold a user name or a password';
  if (protocol === 'https:' || (protocol === 'http:' && LOCAL.has(hostname))) return undefined;
  return 'must begin with https://';
}

/**
 * As `fetch`, but to HTTPS alone (or this machine), without following redirects, for five seconds, and at most a million
 * bytes of answer.
 * @throws Error when the other server cannot be reached or answers too much
 */
export async function egress(address: string | URL, init: RequestInit): Promise<Response> {
  const fault = egressFault(String(address));
  if (fault !== undefined) throw new Error(`The address ${String(address)} ${fault}`);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(address, { ...init, redirect: 'manual', signal });
  return new Response(await bodyOf(response), response);
}

async function bodyOf(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`More than ${MOST_BYTES} bytes came from ${response.url}`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
