/** All outgoing HTTP requests of the service; only mail is sent elsewhere (T21). */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_RESPONSE_BYTES = 1_000_000;

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Why the service refuses to call a URL; undefined if it is allowed. Plain HTTP is allowed only to this machine. */
export function validateEgressUrl(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be a URL such as https://login.example.com';
  const { protocol, hostname, username, password } = new URL(address);
  if (username || password) return 'must not contain a user name or password';
  if (protocol === 'https:' || (protocol === 'http:' && LOCAL_HOSTS.has(hostname))) return undefined;
  return 'must start with https://';
}

/**
 * `fetch` restricted to HTTPS (or this machine), without redirects, with a timeout of five seconds and a limit of 1 MB for the
 * response.
 * @throws Error when the URL is not allowed, the server cannot be reached, or the response is too large
 */
export async function fetchExternal(address: string | URL, init: RequestInit): Promise<Response> {
  const issue = validateEgressUrl(String(address));
  if (issue !== undefined) throw new Error(`The URL ${String(address)} ${issue}`);
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch(address, { ...init, redirect: 'manual', signal });
  return new Response(await readBody(response), response);
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES)
      throw new Error(`The response of ${response.url} exceeds ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
