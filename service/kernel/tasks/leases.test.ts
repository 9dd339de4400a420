import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { withTransaction } from '../db/database.ts';
import { createLeases } from './leases.store.ts';

const leases = createLeases();

onEachDatabase((database) => {
  test('of claims at the same time one has the lease, and after its end its holder writes nothing', async () => {
    const { db } = database();
    await sql`create table leased (id int primary key, content text, fence int not null, lease_until timestamptz(3))`.execute(
      db,
    );
    await sql`insert into leased values (1, 'new', 0, null)`.execute(db);
    const claim = async (): Promise<number | undefined> => {
      const { rows } = await sql<{ fence: number }>`update leased l set ${leases.claim(60, 'l')}
        where id = 1 and not ${leases.isHeld('l')} returning fence`.execute(db);
      return rows[0]?.fence;
    };
    const write = (fence: number, content: string): Promise<boolean> =>
      withTransaction(db, {}, async (tx) => {
        const { numAffectedRows } = await sql`update leased set content = ${content}, ${leases.renew(60)}
          where id = 1 and ${leases.isUnclaimedSince(fence)}`.execute(tx);
        return numAffectedRows === 1n;
      });
    const lapse = () => sql`update leased set lease_until = now() - interval '1 second'`.execute(db);

    const claims = await Promise.all(Array.from({ length: 8 }, claim));
    expect(claims.filter((fence) => fence !== undefined)).toEqual([1]);
    await lapse();
    // Nobody has claimed the row in the meantime, so the holder goes on, and its lease holds again.
    expect(await write(1, 'first')).toBe(true);
    expect(await claim()).toBeUndefined();
    await lapse();
    expect(await claim()).toBe(2);
    expect([await write(1, 'frozen'), await write(2, 'second')]).toEqual([false, true]);
    await sql`update leased set ${leases.end} where ${leases.isUnclaimedSince(2)}`.execute(db);
    expect(await claim()).toBe(3);
    await sql`update leased set ${leases.revoke}`.execute(db);
    expect(await write(3, 'revoked')).toBe(false);
    // A claim with a condition that does not hold leaves the lease as it is.
    await sql`update leased l set ${leases.claim(60, 'l', sql<boolean>`l.content = 'other'`)}`.execute(db);
    const { rows } = await sql`select content, fence, lease_until from leased`.execute(db);
    expect(rows).toEqual([{ content: 'second', fence: 4, lease_until: null }]);
    await sql`drop table leased`.execute(db);
  });
});
