import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { makeSite, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { kernelArea } from '../area/kernel-area.ts';
import { dropOldPartitions, listPartitions } from '../db/partitions.ts';
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

  const readTime = async (subject: string): Promise<string> => {
    const { rows } = await sql<{ at: Date }>`
      select at from audit_log where subject_id = ${subject} order by audit_id desc limit 1`.execute(
      database().db,
    );
    return rows[0]?.at.toISOString() ?? '';
  };

  test('the chain is cut at its start only, and what remains can be verified', async () => {
    const { db } = database();
    const siteId = await makeSite(db);
    await insert(siteId, [40, 30, 20, 10]);
    // Rows without a seal stay.
    expect(await deleteOldAuditRows(db, siteId, 15, 2)).toBe(false);
    await sealAuditRows(db);
    expect(await verifyAuditChain(db, siteId)).toMatchObject({ checkpoint: 0, completeFrom: null });
    expect(await deleteOldAuditRows(db, siteId, 15, 2)).toBe(true);
    expect(await list(siteId)).toEqual([10, 20]);
    expect(await deleteOldAuditRows(db, siteId, 15, 2)).toBe(false);
    expect(await list(siteId)).toEqual([10]);
    expect(await verifyAuditChain(db, siteId)).toMatchObject({
      rows: 1,
      checkpoint: 3,
      completeFrom: await readTime('10'),
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

  test('partitions of which all rows are deleted are dropped, and the rest verifies from its first row', async () => {
    const { db, kind } = database();
    if (kind === 'embedded') return;
    const siteId = await makeSite(db);
    await insert(siteId, [700, 600, 5]);
    await sealAuditRows(db);
    // As if the log had been partitioned three years ago.
    const start = new Date(Date.UTC(new Date().getUTCFullYear() - 3, 0, 1));
    const [past] = await listPartitions(db, 'audit_log');
    const bound = past?.to ?? new Date();
    await sql.raw(`alter table audit_log detach partition ${past?.name}`).execute(db);
    await sql.raw(`alter table ${past?.name} rename to audit_log_old`).execute(db);
    for (const [name, from, to] of [
      ['past', 'minvalue', `'${start.toISOString()}'`],
      ['old_month', `'${start.toISOString()}'`, `'${bound.toISOString()}'`],
    ] as const) {
      await sql
        .raw(
          `create table public_partitions.audit_log_${name} partition of audit_log for values from (${from}) to (${to})`,
        )
        .execute(db);
      await sql.raw(`alter table public_partitions.audit_log_${name} add primary key (audit_id)`).execute(db);
    }
    await sql`alter table audit_log disable trigger user`.execute(db);
    await sql`insert into audit_log select * from public_partitions.audit_log_old`.execute(db);
    await sql`alter table audit_log enable trigger user`.execute(db);
    await sql`drop table public_partitions.audit_log_old`.execute(db);
    expect(await verifyAuditChain(db, siteId)).toMatchObject({ rows: 3, problems: [] });
    // Rows of other tests and of this one.
    await sql`delete from audit_log where site_id <> ${siteId}`.execute(db);
    expect(await dropOldPartitions(db, 'audit_log', bound)).toBe(0);
    await deleteOldAuditRows(db, siteId, 500);
    const dropped = await dropOldPartitions(db, 'audit_log', bound);
    // Five days ago may belong to the year before, which then stays.
    const isThisYear = new Date(Date.now() - 5 * 86_400_000) >= bound;
    expect(dropped).toBe(isThisYear ? 2 : 0);
    expect(await verifyAuditChain(db, siteId)).toMatchObject({
      rows: 1,
      checkpoint: 2,
      completeFrom: await readTime('5'),
      problems: [],
    });
  });

  test('a second row with the id of a sealed one is found', async () => {
    const { db, kind } = database();
    if (kind === 'embedded') return;
    const siteId = await makeSite(db);
    await insert(siteId, [1]);
    await sealAuditRows(db);
    await sql`insert into audit_log (audit_id, site_id, at, action, subject_type, subject_id, request_id, changes)
      select audit_id, site_id, at - interval '20 years', 'forged', 'user', '1', '', '{}' from audit_log
      where site_id = ${siteId}`.execute(db);
    const { problems } = await verifyAuditChain(db, siteId);
    expect(problems).toMatchObject([{ problem: 'A row was never sealed' }]);
    // Also when the seal is of a version before the time was stored.
    await sql`update audit_seal set at = null where site_id = ${siteId}`.execute(db);
    expect((await verifyAuditChain(db, siteId)).problems).toContainEqual(
      expect.objectContaining({ problem: 'A row was never sealed' }),
    );
  });
});
