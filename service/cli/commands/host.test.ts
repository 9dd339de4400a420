/** Commands that operators of an installation use: sites, keys, sessions, backups, mail, deletion of old rows. */
import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { registry } from '../../areas/registry.ts';
import { sealAuditRows } from '../../kernel/audit/chain.ts';
import { findLink } from '../../kernel/auth/one-time-links.store.ts';
import { explainUnusableFiles } from '../../kernel/files/shared-store-check.ts';
import { claimDueMails, markFailed } from '../../kernel/mail/mail.store.ts';
import { onEachHost } from '../../testing/commands.ts';
import { services } from '../../testing/site.ts';
import { PRUNE_TASKS } from './maintenance.ts';

onEachHost(({ database, run, queryOne: one, lastAudit, email }) => {
  test('site create prints the only link for the first administrator of the new site', async () => {
    const Created = z.object({ link: z.string() });
    const getToken = (result: unknown) => Created.parse(result).link.replace(/^.*#/, '');
    const { db } = database();
    const created = await run(
      'site',
      'create',
      'reef',
      '--name',
      'Reef Capital',
      '--time-zone',
      'europe/lisbon',
    );
    expect(created).toMatchObject({ slug: 'reef', name: 'Reef Capital', timeZone: 'Europe/Lisbon' });
    expect(await lastAudit()).toMatchObject({ action: 'site.administrator-link', subject_type: 'site' });
    const again = await run('site', 'administrator-link', 'reef');
    expect(await findLink(db, getToken(created))).toBeUndefined();
    expect(await findLink(db, getToken(again))).toMatchObject({ purpose: 'first-administrator' });
    await expect(run('site', 'create', 'reef', '--name', 'Other')).rejects.toThrow('exists already');
    await expect(run('site', 'administrator-link')).rejects.toThrow('with site administrator-link SLUG: ');
    await expect(run('site', 'create', 'Reef 2', '--name', 'Other')).rejects.toThrow('lower-case');
    await run('user', 'make-admin', email(), '--site', 'reef');
    await sql`update account set password_hash = 'x' where user_id = 10`.execute(db);
    await expect(run('site', 'administrator-link', 'reef')).rejects.toThrow('reef has an administrator');
  });

  test('keys list shows usable keys, keys revoke turns one off', async () => {
    const { client_id: clientId } = z
      .object({ client_id: z.number() })
      .parse(await run('api-key', email(), '--scopes', 'data', '--site', 'northlight'));
    expect(await run('keys', 'list', email())).toMatchObject([
      { clientId, site: 'northlight', email: email(), scopes: ['data'], lastUsed: null },
    ]);
    expect(await run('keys', 'list', '--site', 'harbor')).toEqual([]);
    expect(await run('keys', 'revoke', String(clientId))).toMatchObject({ clientId, site: 'northlight' });
    expect(await lastAudit()).toMatchObject({ action: 'cli.key-revoke', subject_id: '10' });
    expect(await run('keys', 'list')).toEqual([]);
    await expect(run('keys', 'revoke', String(clientId))).rejects.toThrow('not an API key that can be used');
  });

  test('audit verify checks the log of each site, and lists rows that were changed', async () => {
    const { db } = database();
    await sealAuditRows(db);
    const verified = await run('audit', 'verify', '--site', 'northlight');
    expect(verified).toMatchObject({ sites: [{ unsealed: 0, problems: [] }] });
    await expect(run('audit', 'verify', '--expect', '1:ff')).rejects.toThrow('SEQ:HASH');
    await sql`update audit_log set action = 'user.delete' where audit_id = (select max(audit_id) from audit_seal where site_id = 1)`.execute(
      db,
    );
    await expect(run('audit', 'verify')).rejects.toThrow('The audit log was changed');
  });

  test('sessions end signs out a user, or everybody of one site', async () => {
    const { db } = database();
    await sql`insert into session (token_hash, site_id, user_id, expires_at)
      select int4send(n), 1, 9 + n, now() + interval '1 hour' from generate_series(1, 3) n`.execute(db);
    expect(await run('sessions', 'end', email())).toMatchObject({ id: 10, ended: 1 });
    expect(await lastAudit()).toMatchObject({ action: 'cli.sessions-end', changes: { sessions: [1, 0] } });
    await expect(run('sessions', 'end', '--everybody')).rejects.toThrow('--site');
    expect(await run('sessions', 'end', '--everybody', '--site', 'harbor')).toMatchObject({ ended: 0 });
    expect(await run('sessions', 'end', '--everybody', '--site', 'northlight')).toMatchObject({ ended: 2 });
    expect(await lastAudit()).toMatchObject({ action: 'cli.site-sessions-end', subject_type: 'site' });
  });

  test('backup queues one backup of a site', async () => {
    expect(await run('backup', '--site', 'harbor', '--files')).toMatchObject({
      site: 'harbor',
      status: 'Queued',
    });
    expect(await one(sql`select status, includes_files, requested_by from backup`)).toEqual({
      status: 'Queued',
      includes_files: true,
      requested_by: null,
    });
    await expect(run('backup', '--site', 'harbor')).rejects.toThrow('queued or running');
    await expect(run('backup', '--site', 'northlight', '--type', 'Nothing')).rejects.toThrow('Nothing');
  });

  test('mail retry makes failed mails due whose links are still valid', async () => {
    const { db } = database();
    await sql`delete from mail`.execute(db);
    const insert = (expires: string, error: string | null, sent: string | null) =>
      sql`insert into mail (site_id, recipient, subject, body_text, expires_at, next_attempt_at, last_error, sent_at)
        values (1, 'a@b.test', 'A', 'A', now() + ${expires}::interval, 'infinity', ${error}, ${sent}::timestamptz)`.execute(
        db,
      );
    await insert('1 hour', 'refused', null);
    await insert('-1 hour', 'refused', null);
    await insert('1 hour', null, '2026-11-20');
    expect(await run('mail', 'retry', '--site', 'northlight')).toEqual({ retried: 1 });
    expect(await lastAudit()).toMatchObject({ action: 'cli.mail-retry', changes: { mails: [null, 1] } });
    expect(await run('mail', 'retry', '--site', 'harbor')).toEqual({ retried: 0 });
    expect(
      await one(sql`select count(*)::int as n from mail where next_attempt_at <= now() and sent_at is null`),
    ).toEqual({ n: 1 });
  });

  test('mail retry leaves a failed mail that a process is sending again', async () => {
    const { db } = database();
    await sql`delete from mail`.execute(db);
    await sql`insert into mail (site_id, recipient, subject, body_text, expires_at, last_error)
      values (1, 'a@b.test', 'A', 'A', now() + interval '1 hour', 'refused')`.execute(db);
    const [claimed] = await claimDueMails(db, 1);
    expect(await run('mail', 'retry')).toEqual({ retried: 0 });
    expect(await claimDueMails(db, 1)).toEqual([]);
    if (claimed) await markFailed(db, claimed, 'refused again');
    expect(await run('mail', 'retry')).toEqual({ retried: 1 });
    expect(await claimDueMails(db, 1)).toHaveLength(1);
  });

  test('adopt-files makes a folder the one of the database', async () => {
    const { db } = database();
    expect(await run('adopt-files')).toEqual({ files: services.dataDir });
    expect(await explainUnusableFiles(db, services, true)).toBeUndefined();
    await rm(services.dataDir, { recursive: true });
  });

  test('prune deletes expired rows now, and knows every task that deletes old ones', async () => {
    const { db } = database();
    const names = registry.createTasks({ db, services }).map(({ name }) => name);
    const deleting = names.filter((name) => /retention|^old|^expired|^stray|^delete|cleanup/.test(name));
    expect([...PRUNE_TASKS].toSorted()).toEqual(deleting.toSorted());
    await sql`insert into session (token_hash, site_id, user_id, expires_at)
      values ('a', 1, 10, now() - interval '1 hour')`.execute(db);
    const outcomes = await run('prune');
    expect(outcomes).toContainEqual({ task: 'expired sessions', outcome: 'done' });
    expect(await one(sql`select from session`)).toBeUndefined();
  });
});
