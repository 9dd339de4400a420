import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  sessionRefreshRequests,
  isActingChange,
  clearSession,
  sessionState,
  sessionFetch,
  replaceSessionIdentity,
  requireIdentity,
  dismissSignIn,
  applySessionIdentity,
} from './session-state.ts';
import { isProofRequested, settleProof } from './step-up.ts';

const ada = { userId: 1, siteId: 7 };
const url = 'https://console.example/console/api/rest/v1/management/user';
const stubAnswers = (...statuses: number[]) => {
  const fetch = vi.fn<typeof globalThis.fetch>(
    async () => new Response(null, { status: statuses.shift() ?? 500 }),
  );
  vi.stubGlobal('fetch', fetch);
  return fetch;
};
const post = (to = url) => sessionFetch(to, { method: 'POST', body: 'typed' });
const waitForSignInRequest = () =>
  vi.waitFor(() => expect(sessionState.get()).toBe('ended'), { timeout: 20_000 });

beforeEach(() => {
  applySessionIdentity(ada);
});
afterEach(() => {
  clearSession();
  vi.unstubAllGlobals();
});

it('resends waiting calls after the same user has signed in', async () => {
  const fetch = stubAnswers(401, 401, 200, 200);
  const calls = Promise.all([post(), post()]);
  await waitForSignInRequest();
  applySessionIdentity(ada);
  expect((await calls).map((answer) => answer.status)).toEqual([200, 200]);
  expect(fetch).toHaveBeenCalledTimes(4);
  expect(sessionState.get()).toBe('open');
});

it('returns the 401 when the sign-in is dismissed', async () => {
  stubAnswers(401);
  const call = post();
  await waitForSignInRequest();
  dismissSignIn();
  expect((await call).status).toBe(401);
});

it.each([
  ['another user', { userId: 2, siteId: 7 }],
  ['another site', { userId: 1, siteId: 8 }],
])('sends no further call for %s', async (_name, next) => {
  const fetch = stubAnswers(401, 200, 200);
  const call = post();
  await waitForSignInRequest();
  applySessionIdentity(next);
  expect((await call).status).toBe(401);
  expect((await post()).status).toBe(401);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(sessionState.get()).toBe('replaced');
});

it('requests a sign-in for session operations too', async () => {
  stubAnswers(401, 200);
  const call = sessionFetch('https://console.example/console/api/session/site', { method: 'PUT' });
  await waitForSignInRequest();
  applySessionIdentity(ada);
  expect((await call).status).toBe(200);
});

it('returns the 401 of a sign-in and of a page without a session', async () => {
  stubAnswers(401, 401);
  expect((await post('https://console.example/console/api/session')).status).toBe(401);
  clearSession();
  expect((await post()).status).toBe(401);
  expect(sessionState.get()).toBe('open');
});

it('sends the acting report with each call and notices another one in the answer', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(
    async () => new Response(null, { headers: { 'X-Steward-Acting': '5' } }),
  );
  vi.stubGlobal('fetch', fetch);
  const requestsBefore = sessionRefreshRequests.get();
  await post();
  expect(sessionRefreshRequests.get()).toBe(requestsBefore + 1);
  replaceSessionIdentity({ ...ada, reportId: 5 });
  await post();
  expect(sessionRefreshRequests.get()).toBe(requestsBefore + 1);
  const headers = fetch.mock.calls.map(([request]) => new Request(request).headers.get('X-Steward-Acting'));
  expect(headers).toEqual(['0', '5']);
});

it('does not resend a waiting call under another identity', async () => {
  stubAnswers(401, 200);
  const call = post();
  await waitForSignInRequest();
  expect(isActingChange({ ...ada, reportId: 5 })).toBe(true);
  replaceSessionIdentity({ ...ada, reportId: 5 });
  expect((await call).status).toBe(401);
  expect(sessionState.get()).toBe('open');
});

it('continues work only under the identity that started it', () => {
  const acting = { ...ada, reportId: 5 };
  expect(() => requireIdentity(ada)).not.toThrow();
  expect(() => requireIdentity(acting)).toThrow('Started while you worked as someone else');
  replaceSessionIdentity(acting);
  expect(() => requireIdentity(acting)).not.toThrow();
  expect(() => requireIdentity(ada)).toThrow('Started under another identity');
});

it('sends nothing while another tab acts, and continues when that ends', async () => {
  stubAnswers(200);
  applySessionIdentity({ ...ada, reportId: 5 });
  expect(sessionState.get()).toBe('replaced');
  expect((await post()).status).toBe(401);
  applySessionIdentity(ada);
  expect((await post()).status).toBe(200);
});

const proofRequired = () => Response.json({ message: 'Prove it', code: 'step-up-required' }, { status: 403 });

it('resends a call after a proof of presence and returns its 403 without one', async () => {
  const replies = [proofRequired(), new Response(null, { status: 200 }), proofRequired()];
  vi.stubGlobal(
    'fetch',
    vi.fn<typeof globalThis.fetch>(async () => replies.shift() ?? new Response(null, { status: 500 })),
  );
  const first = post();
  await vi.waitFor(() => expect(isProofRequested.get()).toBe(true), { timeout: 20_000 });
  settleProof(true);
  expect((await first).status).toBe(200);
  const second = post();
  await vi.waitFor(() => expect(isProofRequested.get()).toBe(true), { timeout: 20_000 });
  settleProof(false);
  expect((await second).status).toBe(403);
});

it('resends a call that failed during a cookie renewal without requesting a sign-in', async () => {
  const proof = Promise.withResolvers<void>();
  const replies = [401, 200];
  vi.stubGlobal(
    'fetch',
    vi.fn<typeof globalThis.fetch>(async (input) => {
      if (!new Request(input).url.endsWith('/proof'))
        return new Response(null, { status: replies.shift() ?? 500 });
      await proof.promise;
      return new Response(null, { status: 200 });
    }),
  );
  const proving = post('https://console.example/console/api/session/proof');
  const other = post();
  proof.resolve();
  expect([(await proving).status, (await other).status]).toEqual([200, 200]);
  expect(sessionState.get()).toBe('open');
});

it('returns the 401 of a second factor during the sign-in', async () => {
  stubAnswers(401);
  expect((await post('https://console.example/console/api/session/two-factor')).status).toBe(401);
  expect(sessionState.get()).toBe('open');
});
