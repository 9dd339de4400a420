/** Nobody learns from an answer, or from how long it takes, who has an account (T12). */
import { beforeAll, expect, test } from 'vitest';
import { EVEN_MS } from '../kernel/auth/even.ts';
import { hashPassword } from '../kernel/auth/password.ts';
import { callsWith, type Reply } from '../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

/** Answers of each kind. */
const SAMPLES = 24;
/** Fewer than rest an account. */
const EACH = 3;
/** Four of each kind are on their way together, now the ones first and now the others: a busy machine is so to both. */
const TOGETHER = ['known', 'unknown', 'unknown', 'known', 'unknown', 'known', 'known', 'unknown'] as const;

type Kind = (typeof TOGETHER)[number];
type Ask = (email: string, ip: string) => Promise<Reply<unknown>>;

const won = (one: number, other: number) => (one === other ? 0.5 : Number(one > other));

/**
 * How often one of the first takes longer than one of the second: a half where they are alike (Mann and Whitney). By
 * chance alone 24 and 24 are off by more than 0.35 once in 30,000 times.
 */
function shareLonger(first: readonly number[], second: readonly number[]): number {
  const wins = first.flatMap((one) => second.map((other) => won(one, other)));
  return wins.reduce((sum, each) => sum + each, 0) / wins.length;
}
const FAR = 0.35;

/** What does not differ from one request to the next of its own accord. */
const partsOf = ({ status, text, headers }: Reply<unknown>) => ({
  status,
  text: text.replace(/"requestId":"[^"]+"/, ''),
  names: Object.keys(headers).toSorted(),
  length: headers['content-length'],
});

onEachApp((house) => {
  let siteId = 0;
  let known: Person[] = [];
  beforeAll(async () => {
    const { db } = house();
    siteId = await makeSite(db);
    const passwordHash = await hashPassword('correct horse battery');
    known = await Promise.all(
      Array.from({ length: SAMPLES / EACH }, () => makePerson(db, siteId, { passwordHash })),
    );
  });

  async function measure(ask: Ask) {
    const times: Record<Kind, number[]> = { known: [], unknown: [] };
    const answers: Reply<unknown>[] = [];
    const asked: Record<Kind, number> = { known: 0, unknown: 0 };
    const one = async (kind: Kind, place: number) => {
      const at = asked[kind] % known.length;
      asked[kind] += 1;
      const email = kind === 'known' ? (known[at]?.email ?? '') : `nobody-${at}-12@people.test`;
      const start = performance.now();
      answers.push(await ask(email, `198.51.100.${place}`));
      times[kind].push(performance.now() - start);
    };
    await one('known', 0);
    await one('unknown', 0);
    times.known.pop();
    times.unknown.pop();
    for (let batch = 0; batch < SAMPLES / 4; batch += 1) {
      const order = batch % 2 ? TOGETHER : TOGETHER.toReversed();
      // oxlint-disable-next-line no-await-in-loop -- so many at a time
      await Promise.all(order.map((kind, place) => one(kind, place + 1)));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(partsOf(answer)))).size).toBe(1);
    const share = shareLonger(times.known, times.unknown);
    expect(share).toBeGreaterThan(0.5 - FAR);
    expect(share).toBeLessThan(0.5 + FAR);
    return Math.min(...times.known, ...times.unknown);
  }

  const visitor = () => callsWith(house().app, '/console', { 'x-steward-console': '1' });

  test('a wrong password of somebody and one of nobody', async () => {
    const soonest = await measure((email, remoteAddress) =>
      visitor().post('/api/session', { email, password: 'not the right one' }, { remoteAddress }),
    );
    expect(soonest).toBeGreaterThanOrEqual(EVEN_MS - 1);
  });

  test('asking for a link to set a password', async () => {
    const soonest = await measure((email, remoteAddress) =>
      visitor().post('/api/session/password/request', { email }, { remoteAddress }),
    );
    expect(soonest).toBeGreaterThanOrEqual(EVEN_MS - 1);
  });

  test('adding somebody of another site whom this one may not add', async () => {
    const admin = as(house().app, await makePerson(house().db, await makeSite(house().db)));
    await house().db.updateTable('site').set({ may_manage_existing_users: true }).execute();
    expect(await measure((email) => admin.post('user/addExisting', { email }))).toBeGreaterThan(0);
  });
});
