import { ada } from '../e2e/support/data/people.ts';
import type { Service } from '../e2e/support/service.ts';

/** Signs the administrator in to the console. Returns the headers of its requests. */
export async function signIn({ url }: Service): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', 'x-steward-console': '1', origin: url };
  const response = await fetch(`${url}/console/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify(ada),
  });
  await response.arrayBuffer();
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { ...headers, cookie: cookies.join('; ') };
}

/** Signs in as an administrator. Returns a function that calls the session API. @throws {Error} For a status of 400 or above. */
export async function createSessionClient(service: Service) {
  const headers = await signIn(service);
  const { 'content-type': _, ...formHeaders } = headers;
  return async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<unknown> => {
    const response = await fetch(service.url + path, {
      method,
      headers: body instanceof FormData ? formHeaders : headers,
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status} of ${path}: ${await response.text()}`);
    return response.json();
  };
}
