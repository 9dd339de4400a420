/** Requests whose client disconnects while the database executes their statements. */
import { type ClientRequest, request } from 'node:http';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { countWaiting } from '../../../testing/databases.ts';
import { DATA, makeThings, type Things } from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((context) => {
  let things: Things;
  let entryId: number;
  let url: string;

  beforeAll(async () => {
    const { app, database } = context();
    if (database.kind === 'embedded') return;
    things = await makeThings(context());
    [entryId = 0] = await things.create({ Name: 'One', Memo: 'b' }, { Name: 'Two', Memo: 'a' });
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  const send = (method: string, path: string, body: object): ClientRequest => {
    const sent = request(`${url}${DATA}/entrydata/${path}`, {
      method,
      headers: { authorization: `Bearer ${things.person.token}`, 'content-type': 'application/json' },
    });
    // The tests abort these requests.
    sent.on('error', () => {});
    sent.end(JSON.stringify(body));
    return sent;
  };

  const countWaitingForEntries = () => countWaiting(context().db);
  const countConnections = () =>
    new Promise<number>((done) => context().app.server.getConnections((_, count) => done(count)));
  const findWritten = async () => (await things.query({ Memo: 'c' })).rows.map(({ EntryId }) => EntryId);
  const pollOptions = { timeout: 20_000, interval: 20 };

  /** Runs `work` while the table of entries is locked. */
  const whileLocked = (work: () => Promise<void>) =>
    context()
      .db.transaction()
      .execute(async (tx) => {
        await sql`lock table entry in access exclusive mode`.execute(tx);
        await work();
      });

  test.each([{}, { orderBy: 'Name' }, { orderBy: 'Memo' }, { query: { Memo: 'a' } }])(
    'cancels the query of an aborted request: %j',
    async (rowsRequest) => {
      if (context().database.kind === 'embedded') return;
      await whileLocked(async () => {
        const call = send('POST', `rows/query/${things.typeId}`, rowsRequest);
        await expect.poll(countWaitingForEntries, pollOptions).toBe(1);
        call.destroy();
        await expect.poll(countWaitingForEntries, pollOptions).toBe(0);
      });
    },
  );

  test('completes a write after its client has disconnected', async () => {
    if (context().database.kind === 'embedded') return;
    await whileLocked(async () => {
      const call = send('PUT', String(things.typeId), {
        storeRequests: things.items(entryId, { Memo: 'c' }),
      });
      await expect.poll(countWaitingForEntries, pollOptions).toBe(1);
      call.destroy();
      await expect.poll(countConnections, pollOptions).toBe(0);
      expect(await countWaitingForEntries()).toBe(1);
    });
    await expect.poll(findWritten, pollOptions).toEqual([entryId]);
  });
});
