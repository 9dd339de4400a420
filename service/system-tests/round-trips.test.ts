/**
 * Round trips to the database and statements of each operation that is called often. A database in another data centre costs some
 * milliseconds for each round trip (docs/decisions/0042).
 */
import { beforeEach, expect, test } from 'vitest';
import { makeThings } from '../testing/entries/entries.ts';
import { recordRoundTrips } from '../testing/measures/round-trips.ts';
import { hashCheaply, signInWithPassword } from '../testing/sign-in.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';
const USER = 'user';

/** Round trips and statements of the second call: the first fills caches. */
async function count(call: (turn: number) => Promise<{ status: number }>) {
  const statuses: number[] = [];
  const run = (turn: number) => async () => statuses.push((await call(turn)).status);
  await run(1)();
  const recorded = await recordRoundTrips(run(2));
  expect(statuses).toEqual([200, 200]);
  return { roundTrips: recorded.length, statements: recorded.flat().length };
}

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId, { passwordHash: hashCheaply(PASSWORD) });
  });

  test('users', async () => {
    const api = as(context().app, admin);
    const { userId } = await makePerson(context().db, siteId);
    expect.soft(await count(() => api.get(`${USER}/${userId}`))).toEqual({ roundTrips: 1, statements: 2 });
    expect
      .soft(await count((turn) => api.put(USER, { id: userId, firstName: `F${turn}` })))
      .toEqual({ roundTrips: 3, statements: 12 });
  });

  test('entries', async () => {
    const things = await makeThings(context());
    await things.create({ Name: 'One', Note: 'x' });
    const [row] = (await things.query({})).rows;
    const fieldId = things.field('Note').id;
    const path = `/api/rest/v4/data/entrydata/${things.typeId}`;
    const write = (turn: number) =>
      things.api.put(path, { storeRequests: [{ entryId: row?.EntryId, fieldId, value: `N${turn}` }] });
    expect.soft(await count(write)).toEqual({ roundTrips: 3, statements: 17 });
  });

  test('sign-in', async () => {
    const credentials = { email: admin.email, password: PASSWORD };
    expect(await count(() => signInWithPassword(context().app, credentials))).toEqual({
      roundTrips: 5,
      statements: 21,
    });
  });
});
