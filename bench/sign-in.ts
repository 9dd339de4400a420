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
