import { afterEach, beforeEach, expect, test } from 'vitest';
import '../../api/query-client.ts';
import { client } from '../../api/generated/client.gen.ts';
import { executeRequest } from './execute-request.ts';
import type { PersonChange, Person } from './person.ts';
import { planRequests } from './planned-requests.ts';

interface Answer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const sent: { line: string; body: unknown; ifMatch: string | null }[] = [];
let answer: (line: string, body: unknown) => Answer = () => ({});
const before = client.getConfig().fetch;

beforeEach(() => {
  sent.length = 0;
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      const request = new Request(input, init);
      const line = `${request.method} ${new URL(request.url).pathname.replace(/.*\/management/, '')}`;
      const text = await request.text();
      const requested: unknown = text === '' ? undefined : JSON.parse(text);
      sent.push({ line, body: requested, ifMatch: request.headers.get('if-match') });
      const { status = 200, body, headers = {} } = answer(line, requested);
      return body === undefined
        ? new Response(null, { status, headers })
        : Response.json(body, { status, headers });
    },
  });
});
afterEach(() => {
  client.setConfig({ fetch: before });
});

const MODIFIED = '2026-03-01T08:00:00.000Z';
const person = (id: number): Person => ({
  id,
  name: `Person ${id}`,
  email: `person${id}@northlight.example`,
  modified: MODIFIED,
  modifiedBy: 9,
  isActive: true,
  licenseTypeId: 1,
  groups: [],
  twoFactor: false,
  approvedAddresses: false,
  timeZone: null,
});
const user = (id: number, more: object = {}) => ({
  id,
  email: `person${id}@northlight.example`,
  firstName: 'Person',
  lastName: String(id),
  isActive: true,
  isLocked: false,
  groups: [],
  createdDate: MODIFIED,
  modifiedDate: MODIFIED,
  createdBy: null,
  modifiedBy: 9,
  twoFactorEnabled: false,
  ipRestrictionsEnabled: false,
  ...more,
});
const refusal = (status: number): Answer => ({
  status,
  body: { message: `Refused ${status}`, requestId: 'r1' },
});
const OWN_USER_ID = 7;

const deactivate = (id: number): PersonChange => ({
  person: person(id),
  after: { ...person(id), isActive: false },
});
const join = (id: number): PersonChange => ({ person: person(id), after: { ...person(id), groups: [5] } });

async function run(changes: readonly PersonChange[]) {
  const outcomes = [];
  for (const call of planRequests(changes).flat())
    outcomes.push(...(await executeRequest(call, OWN_USER_ID)));
  return outcomes;
}
const lines = () => sent.map(({ line }) => line);

test('sends the ETag that was just read', async () => {
  answer = (line) => (line === 'GET /user/1' ? { body: user(1), headers: { etag: '"4"' } } : { body: 1 });
  expect(await run([deactivate(1)])).toEqual([{ userId: 1, result: 'done' }]);
  expect(sent.at(-1)).toEqual({ line: 'PUT /user', body: { id: 1, isActive: false }, ifMatch: '"4"' });
});

test('leaves users alone who changed after the dry run, before or during the request', async () => {
  answer = () => ({ body: user(1, { modifiedDate: '2026-03-02T08:00:00.000Z' }) });
  expect(await run([deactivate(1)])).toMatchObject([{ userId: 1, result: 'conflict' }]);
  expect(lines()).toEqual(['GET /user/1']);
  answer = (line) => (line.startsWith('GET') ? { body: user(1), headers: { etag: '"4"' } } : refusal(412));
  expect(await run([deactivate(1)])).toMatchObject([{ userId: 1, result: 'conflict', requestId: 'r1' }]);
});

test('does not change users twice and tells who made the change', async () => {
  answer = () => ({ body: user(1, { isActive: false, modifiedDate: 'later', modifiedBy: OWN_USER_ID }) });
  expect(await run([deactivate(1)])).toEqual([{ userId: 1, result: 'done' }]);
  answer = () => ({ body: user(1, { isActive: false, modifiedDate: 'later', modifiedBy: 8 }) });
  expect(await run([deactivate(1)])).toEqual([{ userId: 1, result: 'already' }]);
  expect(lines()).toEqual(['GET /user/1', 'GET /user/1']);
});

test.each(['Asia/Tokyo', null])('sets the time zone %s once', async (timeZone) => {
  const set = { person: { ...person(1), timeZone: 'UTC' }, after: { ...person(1), timeZone } };
  answer = (line) => (line === 'GET /user/1' ? { body: user(1, { timeZone: 'UTC' }) } : { body: 1 });
  expect(await run([set])).toEqual([{ userId: 1, result: 'done' }]);
  expect(sent.at(-1)).toMatchObject({ line: 'PUT /user', body: { id: 1, timeZone } });
  answer = () => ({ body: user(1, { timeZone, modifiedDate: 'later', modifiedBy: 8 }) });
  expect(await run([set])).toEqual([{ userId: 1, result: 'already' }]);
  expect(lines()).toEqual(['GET /user/1', 'PUT /user', 'GET /user/1']);
});

test('reports a refusal with its request id and rethrows transient errors', async () => {
  answer = (line) => (line.startsWith('GET') ? { body: user(1) } : refusal(409));
  expect(await run([deactivate(1)])).toEqual([
    { userId: 1, result: 'failed', why: 'Refused 409', requestId: 'r1' },
  ]);
  for (const status of [401, 429, 500, 503]) {
    answer = () => refusal(status);
    await expect(run([deactivate(1)])).rejects.toMatchObject({ status });
  }
});

test('rethrows a missing proof of identity', async () => {
  answer = (line) =>
    line.startsWith('GET')
      ? { body: user(1) }
      : { status: 403, body: { message: 'Prove it', requestId: 'r1', code: 'step-up-required' } };
  const removal = { person: person(1), after: undefined };
  await expect(run([removal])).rejects.toMatchObject({ status: 403, code: 'step-up-required' });
});

test('treats a missing user as already removed, or as a conflict for other changes', async () => {
  answer = () => refusal(404);
  expect(await run([{ person: person(1), after: undefined }])).toEqual([{ userId: 1, result: 'already' }]);
  expect(await run([deactivate(1)])).toMatchObject([{ result: 'conflict', why: 'No longer on this site' }]);
});

test('halves a refused request until the refused user is found, and adds the others', async () => {
  const ids = [1, 2, 3, 4, 5, 6, 7, 8];
  answer = (line, body) => {
    if (line === 'POST /users') return { body: ids.map((id) => user(id)) };
    return JSON.stringify(body).includes('"userIds":[6') || JSON.stringify(body).includes(',6')
      ? refusal(409)
      : {};
  };
  const outcomes = await run(ids.map(join));
  expect(outcomes.filter(({ result }) => result === 'failed')).toMatchObject([{ userId: 6 }]);
  expect(outcomes.filter(({ result }) => result === 'done')).toHaveLength(7);
  expect(lines().filter((line) => line === 'PUT /user/group').length).toBeLessThan(8);
});

test('skips users who are in the group already and sends groups nobody may grant only once', async () => {
  answer = (line) => (line === 'POST /users' ? { body: [user(1, { groups: [5] }), user(2)] } : refusal(403));
  const outcomes = await run([join(1), join(2), join(3)]);
  expect(outcomes.map(({ userId, result }) => [userId, result])).toEqual([
    [1, 'already'],
    [3, 'conflict'],
    [2, 'failed'],
  ]);
  expect(lines()).toEqual(['POST /users', 'PUT /user/group']);
  expect(sent.at(-1)?.body).toEqual([{ userIds: [2], groupIds: [5] }]);
});
