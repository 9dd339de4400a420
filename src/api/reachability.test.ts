import { expect, test, vi } from 'vitest';
import { ServiceError } from './errors.ts';
import { fetchAndTrackReachability, unreachableSince } from './reachability.ts';

const request = new Request('http://console/console/api/rest/v1/management/user');

test('a page of a proxy is no answer of the service, whatever its status says', async () => {
  const answers = [
    new Response('<title>Sign in to the network</title>', {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }),
    Response.json([]),
  ];
  vi.stubGlobal('fetch', async () => answers.shift());
  await expect(fetchAndTrackReachability(request)).rejects.toEqual(
    new ServiceError(502, 'A proxy or the sign-in page of a network answered instead of the service'),
  );
  expect(unreachableSince.get()).toBeInstanceOf(Date);
  expect((await fetchAndTrackReachability(request)).status).toBe(200);
  expect(unreachableSince.get()).toBeUndefined();
});

test('a failed fetch means that the service cannot be reached', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(fetchAndTrackReachability(request)).rejects.toEqual(
    new ServiceError(0, 'The service cannot be reached'),
  );
  expect(unreachableSince.get()).toBeInstanceOf(Date);
  vi.stubGlobal('fetch', async () => Response.json([]));
  await fetchAndTrackReachability(request);
  expect(unreachableSince.get()).toBeUndefined();
});
