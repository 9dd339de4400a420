import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Tx, withTransaction } from '../../../kernel/db/database.ts';
import { makeThings } from '../../../testing/entries/entries.ts';
import { isOnCitus } from '../../../testing/servers/citus.ts';
import { onEachApp } from '../../../testing/site.ts';
import { loadSchema, type StoredValues } from '../../schema/index.ts';
import { CAUSE, getChangeTime, updateEntries } from './write.store.ts';

/** Number of updates of entries on this connection that wrote no index (heap-only tuples), since the statistics were last sent. */
async function countHeapOnlyUpdates(tx: Tx): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select pg_stat_get_xact_tuples_hot_updated('entry'::regclass)::int as n`.execute(tx);
  return rows[0]?.n ?? 0;
}

onEachApp((context) => {
  // PostgreSQL counts such updates on the server with the rows.
  test.skipIf(isOnCitus)(
    'values without a slot and slots that stay the same write no index of entries',
    async () => {
      const { db } = context();
      const things = await makeThings(context());
      const { siteId, typeId, person, field, choice } = things;
      const [entryId = 0] = await things.create({ Name: 'Heap only', Score: 1 });
      const type = (await loadSchema(db, siteId)).typesById.get(typeId);
      if (!type) throw new Error('The type exists');
      const author = { siteId, userId: person.userId, proxyId: null };
      const before: StoredValues = { [field('Name').id]: 'Heap only', [field('Score').id]: 1 };
      const isHeapOnly = (name: string, value: number | readonly number[]) =>
        withTransaction(db, {}, async (tx) => {
          const { id } = field(name);
          const changed = type.fields.filter((each) => each.id === id);
          const countBefore = await countHeapOnlyUpdates(tx);
          const write = { entryId, before, after: { ...before, [id]: value }, changed };
          updateEntries(tx, author, type, [write], await getChangeTime(tx), CAUSE.user);
          return (await countHeapOnlyUpdates(tx)) > countBefore;
        });
      expect(await isHeapOnly('Tags', [choice('Tags', 'Red')])).toBe(true);
      expect(await isHeapOnly('Score', 1)).toBe(true);
      expect(await isHeapOnly('Score', 2)).toBe(false);
    },
  );
});
