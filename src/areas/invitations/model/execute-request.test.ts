import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import { executeRequest, formatRefusal } from './execute-request.ts';
import { buildReport } from './job.ts';
import type { InvitationRequest } from './requests.ts';

const invite: InvitationRequest = {
  action: 'invite',
  email: 'ann@x.example',
  terms: { type: 1, days: 30, groups: [7] },
};
const add: InvitationRequest = { action: 'add', email: 'ben@x.example', groups: [] };
const extend: InvitationRequest = { action: 'extend', email: 'cleo@x.example', id: 3, days: 7 };

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
const now = (order: InvitationRequest, mayBeStored = false) =>
  executeRequest(order, { capabilities: ['Manage Existing Users'], mayBeStored, wait });

describe('requests', () => {
  test('sends days only for temporary invitations', async () => {
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

describe('results', () => {
  test('describes completed requests', async () => {
    calls.mockImplementationOnce(() => answer(204));
    expect(await now(add)).toEqual({ result: 'done', message: 'Added as a member' });
    calls.mockImplementationOnce(() =>
      answer(200, { status: 'pending', expiresDate: '2030-03-08T08:00:00.000Z' }),
    );
    expect((await now(extend)).message).toMatch(/^Extended, the link works until .*2030, in /);
  });
  test('describes refusals', async () => {
    calls.mockImplementation(() => answer(409, { message: 'Is invited already', requestId: 'r1' }));
    expect(await now(invite)).toEqual({ result: 'failed', message: 'Is invited already', requestId: 'r1' });
  });
  test('treats a conflict after a lost answer as done, except for extensions', async () => {
    calls.mockImplementation(() => answer(409, { message: 'Is invited already' }));
    expect((await now(invite, true)).result).toBe('done');
    expect((await now(extend, true)).result).toBe('failed');
  });
  test('waits and retries when rate-limited', async () => {
    calls.mockImplementationOnce(() =>
      Promise.resolve(new Response(null, { status: 429, headers: { 'Retry-After': '2' } })),
    );
    calls.mockImplementationOnce(() => answer(200));
    expect((await now(invite)).result).toBe('done');
    expect(wait).toHaveBeenCalledWith(2);
  });
  test('reports when a long rate limit ends', async () => {
    calls.mockImplementationOnce(() =>
      Promise.resolve(
        Response.json({ message: 'Was invited today.' }, { status: 429, headers: { 'Retry-After': '7200' } }),
      ),
    );
    const { result, message } = await now(invite);
    expect(result).toBe('failed');
    expect(message).toMatch(/^Was invited today; possible again (in 2 hours|tomorrow)$/);
  });
  test('rethrows errors that do not concern the request', async () => {
    calls.mockImplementationOnce(() => answer(503));
    await expect(now(invite)).rejects.toMatchObject({ status: 503 });
    calls.mockRejectedValueOnce(new TypeError('no network'));
    await expect(now(invite)).rejects.toMatchObject({ status: 0 });
  });
});

test('distinguishes the two reasons of a 403', () => {
  const refusal = new ServiceError(403, 'The site may not manage existing users');
  expect(formatRefusal('add', refusal, [])).toMatch(/^You do not have the capability Manage Existing Users;/);
  expect(formatRefusal('add', refusal, ['Manage Existing Users'])).toBe(
    'The site may not manage existing users',
  );
});

test('reports every request, sent or not', () => {
  const report = buildReport(
    [invite, add],
    new Map([[invite, { result: 'failed' as const, message: 'Is invited already' }]]),
  );
  expect(report.split('\r\n').slice(1, 3)).toEqual([
    '"ann@x.example","Invite","Temporary",30,"Failed","Is invited already",""',
    '"ben@x.example","Add without confirmation","","","Pending","",""',
  ]);
});
