/** Somebody closes the tab, or scrolls past, while the database is at it. */
import { type ClientRequest, request } from 'node:http';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { DATA, makeThings, type Things } from '../../../testing/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((house) => {
  let things: Things;
  let entryId: number;
  let url: string;

  beforeAll(async () => {
    const { app, database } = house();
    if (database.kind === 'embedded') return;
    things = await makeThings(house());
    [entryId = 0] = await things.create({ Name: 'One', Memo: 'b' }, { Name: 'Two', Memo: 'a' });
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  const send = (method: string, path: string, body: object): ClientRequest => {
    const sent = request(`${url}${DATA}/entrydata/${path}`, {
      method,
      headers: { authorization: `Bearer ${things.person.token}`, 'content-type': 'application/json' },
    });
    // To be cut off is what these calls are for.
    sent.on('error', () => {});
    sent.end(JSON.stringify(body));
    return sent;
  };

  /** How many statements wait for whoever holds the entries. */
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(house().db);
    return rows[0]?.n ?? 0;
  };
  const connections = () =>
    new Promise<number>((done) => house().app.server.getConnections((_, count) => done(count)));
  const written = async () => (await things.query({ Memo: 'c' })).rows.map(({ EntryId }) => EntryId);
  const soon = { timeout: 20_000, interval: 20 };

  /** While nobody gets at the entries. */
  const whileHeld = (work: () => Promise<void>) =>
    house()
      .db.transaction()
      .execute(async (tx) => {
        await sql`lock table entry in access exclusive mode`.execute(tx);
        await work();
      });

  test.each([{}, { orderBy: 'Name' }, { orderBy: 'Memo' }, { query: { Memo: 'a' } }])(
    'rows that nobody waits for are not read on: %j',
    async (asked) => {
      if (house().database.kind === 'embedded') return;
      await whileHeld(async () => {
        const call = send('POST', `rows/query/${things.typeId}`, asked);
        await expect.poll(waiting, soon).toBe(1);
        call.destroy();
        await expect.poll(waiting, soon).toBe(0);
      });
    },
  );

  test('a write is done to its end, whoever waits for it', async () => {
    if (house().database.kind === 'embedded') return;
    await whileHeld(async () => {
      const call = send('PUT', String(things.typeId), {
        storeRequests: things.items(entryId, { Memo: 'c' }),
      });
      await expect.poll(waiting, soon).toBe(1);
      call.destroy();
      await expect.poll(connections, soon).toBe(0);
      expect(await waiting()).toBe(1);
    });
    await expect.poll(written, soon).toEqual([entryId]);
  });
});
