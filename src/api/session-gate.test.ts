import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  actingMoves,
  actsOtherwise,
  dropSession,
  gate,
  gatedFetch,
  goOnAs,
  leaveEnded,
  sessionArrived,
} from './session-gate.ts';
import { proofAsked, settleProof } from './step-up.ts';

const ada = { userId: 1, siteId: 7 };
const url = 'https://console.example/console/api/rest/v1/management/user';
const answers = (...statuses: number[]) => {
  const fetch = vi.fn<typeof globalThis.fetch>(
    async () => new Response(null, { status: statuses.shift() ?? 500 }),
  );
  vi.stubGlobal('fetch', fetch);
  return fetch;
};
const post = (to = url) => gatedFetch(to, { method: 'POST', body: 'typed' });
const asked = () => vi.waitFor(() => expect(gate.get()).toBe('ended'));

beforeEach(() => {
  sessionArrived(ada);
});
afterEach(() => {
  dropSession();
  vi.unstubAllGlobals();
});

it('sends the same call again once the same person has signed in', async () => {
  const fetch = answers(401, 401, 200, 200);
  const calls = Promise.all([post(), post()]);
  await asked();
  sessionArrived(ada);
  expect((await calls).map((answer) => answer.status)).toEqual([200, 200]);
  expect(fetch).toHaveBeenCalledTimes(4);
  expect(gate.get()).toBe('open');
});

it('gives the 401 back where nobody signs in', async () => {
  answers(401);
  const call = post();
  await asked();
  leaveEnded();
  expect((await call).status).toBe(401);
});

it.each([
  ['somebody else', { userId: 2, siteId: 7 }],
  ['another site', { userId: 1, siteId: 8 }],
])('sends nothing more for %s', async (_who, next) => {
  const fetch = answers(401, 200, 200);
  const call = post();
  await asked();
  sessionArrived(next);
  expect((await call).status).toBe(401);
  expect((await post()).status).toBe(401);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(gate.get()).toBe('replaced');
});

it('asks for the calls on the session itself too', async () => {
  answers(401, 200);
  const call = gatedFetch('https://console.example/console/api/session/site', { method: 'PUT' });
  await asked();
  sessionArrived(ada);
  expect((await call).status).toBe(200);
});

it('leaves the 401 of a sign-in, and of a page without a session, alone', async () => {
  answers(401, 401);
  expect((await post('https://console.example/console/api/session')).status).toBe(401);
  dropSession();
  expect((await post()).status).toBe(401);
  expect(gate.get()).toBe('open');
});

it('says with each call for whom it is meant, and hears for whom it was done', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(
    async () => new Response(null, { headers: { 'X-Steward-Acting': '5' } }),
  );
  vi.stubGlobal('fetch', fetch);
  const before = actingMoves.get();
  await post();
  expect(actingMoves.get()).toBe(before + 1);
  goOnAs({ ...ada, reportId: 5 });
  await post();
  expect(actingMoves.get()).toBe(before + 1);
  const said = fetch.mock.calls.map(([request]) => new Request(request).headers.get('X-Steward-Acting'));
  expect(said).toEqual(['0', '5']);
});

it('sends nothing that waited in one name in another', async () => {
  answers(401, 200);
  const call = post();
  await asked();
  expect(actsOtherwise({ ...ada, reportId: 5 })).toBe(true);
  goOnAs({ ...ada, reportId: 5 });
  expect((await call).status).toBe(401);
  expect(gate.get()).toBe('open');
});

it('waits in a tab where somebody else is acted for, and goes on when that ends', async () => {
  answers(200);
  sessionArrived({ ...ada, reportId: 5 });
  expect(gate.get()).toBe('replaced');
  expect((await post()).status).toBe(401);
  sessionArrived(ada);
  expect((await post()).status).toBe(200);
});

const asking = () => Response.json({ message: 'Prove it', code: 'step-up-required' }, { status: 403 });

it('sends a call that asked for a proof again once it is given, and not where it is not', async () => {
  const replies = [asking(), new Response(null, { status: 200 }), asking()];
  vi.stubGlobal(
    'fetch',
    vi.fn<typeof globalThis.fetch>(async () => replies.shift() ?? new Response(null, { status: 500 })),
  );
  const first = post();
  await vi.waitFor(() => expect(proofAsked.get()).toBe(true));
  settleProof(true);
  expect((await first).status).toBe(200);
  const second = post();
  await vi.waitFor(() => expect(proofAsked.get()).toBe(true));
  settleProof(false);
  expect((await second).status).toBe(403);
});

it('sends a call again that was under way while the cookie changed, and asks nobody to sign in', async () => {
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
  expect(gate.get()).toBe('open');
});

it('hands back the 401 of half a sign-in: it is an answer to what was typed', async () => {
  answers(401);
  expect((await post('https://console.example/console/api/session/two-factor')).status).toBe(401);
  expect(gate.get()).toBe('open');
});
