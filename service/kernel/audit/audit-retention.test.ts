import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { makeSite, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { kernelArea } from '../area/kernel-area.ts';
import { deleteOldAuditRows } from './chain.store.ts';
import { sealAuditRows, verifyAuditChain } from './chain.ts';

onEachDatabase((database) => {
  /** Audit rows with these ages in days; the age is the subject. */
  const insert = (siteId: number, ages: readonly number[]) =>
    sql`insert into audit_log (site_id, at, action, subject_type, subject_id, request_id, changes)
      select ${siteId}, now() - make_interval(days => age), 'user.update', 'user', age::text, '', '{}'
      from unnest(${[...ages]}::int[]) age`.execute(database().db);
  const list = async (siteId: number): Promise<number[]> => {
    const { rows } = await sql<{ age: number }>`
      select subject_id::int as age from audit_log where site_id = ${siteId} order by 1`.execute(
      database().db,
    );
    return rows.map(({ age }) => age);
  };
  const run = async (auditDays: number | null) => {
    const tasks = kernelArea.tasks({
      db: database().db,
      services: { ...services, logRetention: { ...services.logRetention, auditDays } },
    });
    await sealAuditRows(database().db);
    const task = tasks.find(({ name }) => name === 'old audit rows');
    if (task) await runTask(task);
    return task?.name;
  };

  test('audit rows are deleted after the setting, in every site, and never when it is off', async () => {
    const [one, other] = [await makeSite(database().db), await makeSite(database().db)];
    await insert(one, [5_000, 401, 399, 1]);
    await insert(other, [402, 400]);
    expect(await run(null)).toBe('old audit rows');
    expect(await list(one)).toEqual([1, 399, 401, 5_000]);
    await run(401);
    expect([await list(one), await list(other)]).toEqual([[1, 399], [400]]);
  });

  test('the chain is cut at its start only, and what remains can be verified', async () => {
    const { db } = database();
    const siteId = await makeSite(db);
    await insert(siteId, [40, 30, 20, 10]);
    // Rows without a seal stay.
    expect(await deleteOldAuditRows(db, siteId, 15, 2)).toBe(false);
    await sealAuditRows(db);
    expect(await deleteOldAuditRows(db, siteId, 15, 2)).toBe(true);
    expect(await list(siteId)).toEqual([10, 20]);
    expect(await deleteOldAuditRows(db, siteId, 15, 2)).toBe(false);
    expect(await list(siteId)).toEqual([10]);
    expect(await verifyAuditChain(db, siteId)).toMatchObject({
      rows: 1,
      checkpoint: 3,
      seq: 4,
      problems: [],
    });
    await insert(siteId, [5, 50]);
    await sealAuditRows(db);
    expect(await deleteOldAuditRows(db, siteId, 7)).toBe(false);
    // A row with an older time than the one before it, as after a change of the clock, is deleted with that one.
    expect(await list(siteId)).toEqual([5, 50]);
    expect(await verifyAuditChain(db, siteId)).toMatchObject({ rows: 2, checkpoint: 4, problems: [] });
  });
});
