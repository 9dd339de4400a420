/** Everything that is deleted by age is found by an index and deleted in pieces. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { saveChallenge } from '../areas/access/passkeys.store.ts';
import { insertLink as insertBackupLink } from '../areas/backups/downloads.store.ts';
import { saveAttempt } from '../areas/identity/identity.store.ts';
import { insertLink as insertJobFileLink } from '../areas/jobs/files.store.ts';
import { clearInputs, deleteEndedJobs } from '../areas/jobs/jobs.store.ts';
import { registry } from '../areas/registry.ts';
import { insertAccessToken } from '../areas/tokens/access-tokens.store.ts';
import { deleteExpiredSessions, deleteOldActivity } from '../kernel/audit/activity.store.ts';
import { deleteOldAuditRows } from '../kernel/audit/chain.store.ts';
import { createLink } from '../kernel/auth/one-time-links.store.ts';
import { consumeRateLimit, deleteEndedWindows } from '../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';
import { deleteEventsBefore } from '../kernel/outbox/events.store.ts';
import { findSequentialScans } from '../testing/measures/plans.ts';
import { makePerson, makeSite, onEachApp, services } from '../testing/site.ts';

/** Tables with few rows an installation: reading them whole is as fast as an index. */
const SMALL_TABLES = ['audit_sealing', 'backup_settings', 'field_job', 'site', 'task_failure', 'topic'];

/** Runs the work in a transaction that is rolled back. */
const tryOut = (db: Db, work: (tx: Tx) => Promise<unknown>) =>
  db
    .transaction()
    .execute(async (tx) => {
      await work(tx);
      throw new Error('rolled back');
    })
    .catch((error: unknown) => {
      if (!(error instanceof Error && error.message === 'rolled back')) throw error;
    });

onEachApp((context) => {
  test('statements that delete by age read no table as a whole', async () => {
    const { db } = context();
    const siteId = await makeSite(db);
    const { userId, clientId } = await makePerson(db, siteId);
    const hash = Buffer.alloc(32);
    const requester = { siteId, userId, ip: '203.0.113.1' };
    const key = { siteId, userId, clientId, scopes: [] };
    const scans = await findSequentialScans(db, async (recorded) => {
      for (const task of registry.createTasks({ db: recorded, services }))
        // Tasks for stray files compare all names with a folder.
        if (!task.name.startsWith('stray ')) await task.run();
      await deleteOldActivity(recorded, siteId, 98);
      await deleteOldAuditRows(recorded, siteId, 98);
      await deleteEventsBefore(recorded, { siteId, topicId: 1 }, new Date(), 10);
      await deleteEndedJobs(recorded, siteId, 365);
      await clearInputs(recorded, siteId, 90);
      await tryOut(recorded, async (tx) => {
        await consumeRateLimit(tx, 'plan', { maxCount: 1, windowSeconds: 1 }, '');
        await createLink(tx, { purpose: 'set-password', siteId, userId });
        await saveAttempt(tx, hash, { siteId, nonce: '', verifier: '' });
        await saveChallenge(tx, 'plan', 'sign-in', null);
        await insertAccessToken(tx, key, hash, [], 60);
        const { rows } = await sql<{ backupId: number; jobId: number }>`
          with b as (insert into backup (site_id, file_name, entry_types, includes_files)
            values (${siteId}, 'plan', '{}', false) returning backup_id),
          j as (insert into job (site_id, kind, title, owner_id, is_proven, is_federated, ip, request_id, parameters, total)
            values (${siteId}, 'plan', '', ${userId}, false, false, '', '', '{}', 0) returning job_id),
          f as (insert into job_file (site_id, job_id, fence, name, media_type, size, byte_count, sha256, row_count, expires_at)
            select ${siteId}, job_id, 0, '', '', 0, 0, '', 0, now() from j)
          select backup_id as "backupId", job_id as "jobId" from b, j`.execute(tx);
        const { backupId = 0, jobId = 0 } = rows[0] ?? {};
        await insertBackupLink(tx, backupId, requester, hash);
        await insertJobFileLink(tx, { siteId, jobId }, requester, hash);
      });
    });
    expect(scans.filter(({ statement }) => statement.startsWith('delete from')).length).toBeGreaterThan(8);
    expect(scans.filter(({ tables }) => tables.some((table) => !SMALL_TABLES.includes(table)))).toEqual([]);
  });

  test('counters of ended rate limits are deleted in pieces', async () => {
    const { db } = context();
    await sql`delete from throttle`.execute(db);
    await sql`insert into throttle (key, count, window_started_at)
      select 'old ' || n, 1, now() - interval '25 hours' from generate_series(1, 5) n
      union all select 'running', 1, now() - interval '23 hours'`.execute(db);
    expect(await deleteEndedWindows(db, 2)).toBe(true);
    expect((await db.selectFrom('throttle').select('key').execute()).length).toBe(4);
    expect(await deleteEndedWindows(db, 9)).toBe(false);
    expect(await db.selectFrom('throttle').select('key').execute()).toEqual([{ key: 'running' }]);
  });

  test('sessions end in pieces, expired and idle ones', async () => {
    const { db } = context();
    await sql`delete from session`.execute(db);
    const siteId = await makeSite(db);
    const { userId } = await makePerson(db, siteId);
    await sql`delete from session`.execute(db);
    await sql`insert into session (token_hash, site_id, user_id, expires_at, last_seen_at)
      select int4send(n), ${siteId}, ${userId},
        now() + make_interval(secs => case when n % 2 = 0 then -1 else 60 end),
        now() - make_interval(mins => case when n % 3 = 0 then 31 else 0 end) from generate_series(1, 12) n`.execute(
      db,
    );
    expect(await deleteExpiredSessions(db, 3)).toBe(true);
    while (await deleteExpiredSessions(db, 3));
    const { rows } = await sql<{ n: number }>`
      select get_byte(token_hash, 3) as n from session order by 1`.execute(db);
    expect(rows.map(({ n }) => n)).toEqual([1, 5, 7, 11]);
  });
});
