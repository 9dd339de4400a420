import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import { reportOf } from './report.ts';
import { perform } from './perform.ts';
import { refusalWords } from './refusal.ts';
import type { Order } from './order.ts';

const invite: Order = { does: 'invite', email: 'ann@x.example', terms: { type: 1, days: 30, groups: [7] } };
const add: Order = { does: 'add', email: 'ben@x.example', groups: [] };
const extend: Order = { does: 'extend', email: 'cleo@x.example', id: 3, days: 7 };

const calls = vi.fn<(request: Request) => Promise<Response>>();
const answer = (status: number, body?: unknown) =>
  Promise.resolve(status === 204 ? new Response(null, { status }) : Response.json(body ?? {}, { status }));

beforeEach(() => {
  calls.mockReset();
  vi.stubGlobal('fetch', calls);
});
vi.mock('../../../api/client-config.ts', () => ({
  createClientConfig: (config: object) => ({
    ...config,
    baseUrl: 'http://service.example',
    fetch: (request: Request) => fetch(request),
  }),
}));

const wait = vi.fn<(seconds: number) => Promise<void>>(() => Promise.resolve());
const now = (order: Order, unsure = false) =>
  perform(order, { held: ['Manage Existing Users'], unsure, wait });

describe('what is sent', () => {
  test('a temporary invitation has its days, a permanent one has none', async () => {
    calls.mockImplementation(() => answer(200));
    await now(invite);
    await now({ ...invite, terms: { type: 0, days: 30, groups: [] } });
    const bodies = await Promise.all(calls.mock.calls.map(([request]) => request.json()));
    expect(bodies).toEqual([
      { email: 'ann@x.example', type: 1, duration: 30, groups: [7] },
      { email: 'ann@x.example', type: 0 },
    ]);
  });
});

describe('what came of it', () => {
  test('done, in words', async () => {
    calls.mockImplementationOnce(() => answer(204));
    expect(await now(add)).toEqual({ result: 'done', words: 'Added, a member from now on' });
    calls.mockImplementationOnce(() =>
      answer(200, { status: 'pending', expiresDate: '2030-03-08T08:00:00.000Z' }),
    );
    expect((await now(extend)).words).toMatch(/^Extended, the link works until .*2030, in /);
  });
  test('refused, with the reason', async () => {
    calls.mockImplementation(() => answer(409, { message: 'Is invited already', requestId: 'r1' }));
    expect(await now(invite)).toEqual({ result: 'failed', words: 'Is invited already', requestId: 'r1' });
  });
  test('after a lost answer, a conflict says that it had arrived; not of an extension, which adds up', async () => {
    calls.mockImplementation(() => answer(409, { message: 'Is invited already' }));
    expect((await now(invite, true)).result).toBe('done');
    expect((await now(extend, true)).result).toBe('failed');
  });
  test('one too many waits and goes on', async () => {
    calls.mockImplementationOnce(() =>
      Promise.resolve(new Response(null, { status: 429, headers: { 'Retry-After': '2' } })),
    );
    calls.mockImplementationOnce(() => answer(200));
    expect((await now(invite)).result).toBe('done');
    expect(wait).toHaveBeenCalledWith(2);
  });
  test('too often for today is told with the time when it is possible again', async () => {
    calls.mockImplementationOnce(() =>
      Promise.resolve(
        Response.json({ message: 'Was invited today.' }, { status: 429, headers: { 'Retry-After': '7200' } }),
      ),
    );
    const { result, words } = await now(invite);
    expect(result).toBe('failed');
    expect(words).toMatch(/^Was invited today; possible again (in 2 hours|tomorrow)$/);
  });
  test('what is not the fault of the order is thrown', async () => {
    calls.mockImplementationOnce(() => answer(503));
    await expect(now(invite)).rejects.toMatchObject({ status: 503 });
    calls.mockRejectedValueOnce(new TypeError('no network'));
    await expect(now(invite)).rejects.toMatchObject({ status: 0 });
  });
});

test('the two reasons of the one refusal are told apart', () => {
  const refusal = new ServiceError(403, 'The site may not manage existing users');
  expect(refusalWords('add', refusal, [])).toMatch(/^You do not have the capability Manage Existing Users;/);
  expect(refusalWords('add', refusal, ['Manage Existing Users'])).toBe(
    'The site may not manage existing users',
  );
});

test('the report has a row for each, sent or not', () => {
  const report = reportOf(
    [invite, add],
    new Map([[invite, { result: 'failed' as const, words: 'Is invited already' }]]),
  );
  expect(report.split('\r\n').slice(1, 3)).toEqual([
    '"ann@x.example","Invite","Temporary",30,"Failed","Is invited already",""',
    '"ben@x.example","Add without confirmation","","","Not yet","",""',
  ]);
});
