/** Neither the content nor the duration of a response reveals whether an account exists (T12). */
import { beforeAll, expect, test } from 'vitest';
import { UNIFORM_DELAY_MS, hashPassword } from '../kernel/auth/passwords.ts';
import { createApiClient, type Reply } from '../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

/** Responses measured of each kind. */
const SAMPLES = 24;
/** Attempts per account, below the number that locks it. */
const ATTEMPTS_PER_ACCOUNT = 3;
/** Order of concurrent requests, mixed so that load affects both kinds equally. */
const REQUEST_ORDER = [
  'known',
  'unknown',
  'unknown',
  'known',
  'unknown',
  'known',
  'known',
  'unknown',
] as const;

type Kind = (typeof REQUEST_ORDER)[number];
type SendRequest = (email: string, ip: string) => Promise<Reply<unknown>>;

const compare = (one: number, other: number) => (one === other ? 0.5 : Number(one > other));

/**
 * Probability that a value of the first sample exceeds one of the second: 0.5 for equal distributions (Mann-Whitney).
 * By chance 24 and 24 samples differ by more than 0.35 once in 30,000 runs.
 */
function computeShareLonger(first: readonly number[], second: readonly number[]): number {
  const wins = first.flatMap((one) => second.map((other) => compare(one, other)));
  return wins.reduce((sum, each) => sum + each, 0) / wins.length;
}
const MAX_DEVIATION = 0.35;

/** Parts of a response that must be equal for all requests. */
const getComparableParts = ({ status, text, headers }: Reply<unknown>) => ({
  status,
  text: text.replace(/"requestId":"[^"]+"/, ''),
  names: Object.keys(headers).toSorted(),
  length: headers['content-length'],
});

onEachApp((context) => {
  let siteId = 0;
  let knownPersons: Person[] = [];
  beforeAll(async () => {
    const { db } = context();
    siteId = await makeSite(db);
    const passwordHash = await hashPassword('correct horse battery');
    knownPersons = await Promise.all(
      Array.from({ length: SAMPLES / ATTEMPTS_PER_ACCOUNT }, () => makePerson(db, siteId, { passwordHash })),
    );
  });

  async function measure(ask: SendRequest) {
    const times: Record<Kind, number[]> = { known: [], unknown: [] };
    const answers: Reply<unknown>[] = [];
    const requestCounts: Record<Kind, number> = { known: 0, unknown: 0 };
    const measureOne = async (kind: Kind, place: number) => {
      const at = requestCounts[kind] % knownPersons.length;
      requestCounts[kind] += 1;
      const email = kind === 'known' ? (knownPersons[at]?.email ?? '') : `nobody-${at}-12@people.test`;
      const start = performance.now();
      answers.push(await ask(email, `198.51.100.${place}`));
      times[kind].push(performance.now() - start);
    };
    await measureOne('known', 0);
    await measureOne('unknown', 0);
    times.known.pop();
    times.unknown.pop();
    for (let batch = 0; batch < SAMPLES / 4; batch += 1) {
      const order = batch % 2 ? REQUEST_ORDER : REQUEST_ORDER.toReversed();
      // Limited concurrency.
      await Promise.all(order.map((kind, place) => measureOne(kind, place + 1)));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(getComparableParts(answer)))).size).toBe(1);
    const share = computeShareLonger(times.known, times.unknown);
    expect(share).toBeGreaterThan(0.5 - MAX_DEVIATION);
    expect(share).toBeLessThan(0.5 + MAX_DEVIATION);
    return Math.min(...times.known, ...times.unknown);
  }

  const callConsole = () => createApiClient(context().app, '/console', { 'x-steward-console': '1' });

  test('sign-in with a wrong password', async () => {
    const soonest = await measure((email, remoteAddress) =>
      callConsole().post('/api/session', { email, password: 'not the right one' }, { remoteAddress }),
    );
    expect(soonest).toBeGreaterThanOrEqual(UNIFORM_DELAY_MS - 1);
  });

  test('request of a password link', async () => {
    const soonest = await measure((email, remoteAddress) =>
      callConsole().post('/api/session/password/request', { email }, { remoteAddress }),
    );
    expect(soonest).toBeGreaterThanOrEqual(UNIFORM_DELAY_MS - 1);
  });

  test('adding a user of another site who may not be added', async () => {
    const admin = as(context().app, await makePerson(context().db, await makeSite(context().db)));
    await context().db.updateTable('site').set({ may_manage_existing_users: true }).execute();
    expect(await measure((email) => admin.post('user/addExisting', { email }))).toBeGreaterThan(0);
  });
});
