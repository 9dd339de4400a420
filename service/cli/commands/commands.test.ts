import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { findLink } from '../../kernel/auth/one-time-links.store.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { onEachHost } from '../../testing/commands.ts';

const getLink = (result: unknown) => z.object({ link: z.string() }).parse(result).link;

onEachHost(({ database, run, queryOne: one, lastAudit, email: emailOf }) => {
  let email = '';
  beforeEach(() => {
    email = emailOf();
  });

  test('api-key stores only the hash of the secret, and replaces an active key only with --replace', async () => {
    const key = await run(
      'api-key',
      email.toUpperCase(),
      '--scopes',
      'user_management data',
      '--site',
      'northlight',
    );
    expect(Object.keys(Object(key))).toEqual(['client_id', 'client_secret']);
    const { client_id: clientId, client_secret: secret } = z
      .object({ client_id: z.number(), client_secret: z.string() })
      .parse(key);
    const stored = await one(
      sql`select secret_hash, scopes, site_id, user_id from api_key where client_id = ${clientId}`,
    );
    expect(stored).toEqual({
      secret_hash: hashSecret(secret),
      scopes: ['user_management', 'data'],
      site_id: 1,
      user_id: 10,
    });
    const audit = await lastAudit();
    expect(audit).toMatchObject({
      action: 'cli.api-key',
      actor_id: null,
      subject_type: 'user',
      subject_id: '10',
    });
    expect(JSON.stringify(audit)).not.toContain(secret);

    const again = ['api-key', email, '--scopes', 'data', '--site', 'northlight'];
    await expect(run(...again)).rejects.toThrow('--replace turns it off for good');
    await expect(run(...again, '--replace')).resolves.toHaveProperty('client_secret');
    expect(
      await one(sql`select disabled_at is not null as off from api_key where client_id = ${clientId}`),
    ).toEqual({ off: true });
    const argsWithExpiry = [...again, '--replace', '--expires-days', '90'];
    await expect(run(...argsWithExpiry)).resolves.toHaveProperty('expires');
    expect(
      await one(sql`select expires_at - created_at = interval '2160 hours' as ends from api_key
        where user_id = 10 and disabled_at is null`),
    ).toEqual({ ends: true });
    // An expired key need not be replaced.
    await one(
      sql`update api_key set expires_at = now() where user_id = 10 and disabled_at is null returning 1 as n`,
    );
    await expect(run(...again)).resolves.toHaveProperty('client_secret');
  });

  test('user create creates a member with groups and prints a link to set the password', async () => {
    const result = await run(
      'user',
      'create',
      'new@northlight.example',
      '--first-name',
      'Ada',
      '--last-name',
      'New',
      '--group',
      'support',
      '--time-zone',
      'europe/lisbon',
      '--site',
      'northlight',
    );
    expect(result).toMatchObject({ email: 'new@northlight.example', site: 'northlight' });
    const { id, link } = z.object({ id: z.number(), link: z.string() }).parse(result);
    const token = /^https:\/\/steward\.example\/link#(.+)$/.exec(link)?.[1] ?? '';
    expect(await findLink(database().db, token)).toMatchObject({
      purpose: 'set-password',
      siteId: 1,
      userId: id,
    });
    expect(
      await one(
        sql`select g.name from group_member m join user_group g using (group_id) where m.user_id = ${id}`,
      ),
    ).toEqual({ name: 'Support' });
    expect(await one(sql`select time_zone from membership where site_id = 1 and user_id = ${id}`)).toEqual({
      time_zone: 'Europe/Lisbon',
    });
    const audits = await sql`select action, actor_id from audit_log order by audit_id desc limit 2`.execute(
      database().db,
    );
    expect(audits.rows).toEqual([
      { action: 'group.assign', actor_id: null },
      { action: 'cli.user-create', actor_id: null },
    ]);
    expect(JSON.stringify(await one(sql`select payload from topic_event order by off limit 1`))).toContain(
      '"new@northlight.example"',
    );
    const again = run(
      'user',
      'create',
      'NEW@northlight.example',
      '--first-name',
      'A',
      '--last-name',
      'B',
      '--site',
      'harbor',
    );
    await expect(again).rejects.toThrow('already exists');
  });

  test('user deactivate does not remove the last administrator without --force', async () => {
    await expect(run('user', 'deactivate', email, '--site', 'northlight')).rejects.toThrow(
      'without an administrator',
    );
    await sql`update account set password_hash = 'x' where user_id = 1`.execute(database().db);
    await run('user', 'deactivate', email, '--site', 'northlight');
    const membership = sql<
      Record<string, unknown>
    >`select is_active, version from membership where site_id = 1 and user_id = 10`;
    expect(await one(membership)).toEqual({ is_active: false, version: 2 });
    const last = String((await one(sql`select email from account where user_id = 1`))?.['email']);
    await expect(run('user', 'deactivate', last, '--site', 'northlight')).rejects.toThrow(
      'without an administrator',
    );
    await expect(run('user', 'deactivate', last, '--site', 'northlight', '--force')).resolves.toMatchObject({
      isActive: false,
    });
  });

  test('user make-admin restores access of a locked, unlicensed, inactive user', async () => {
    const { db } = database();
    await sql`update user_group set capabilities = '{Read Data}' where site_id = 1 and name = 'Administrators'`.execute(
      db,
    );
    await sql`update membership set is_active = false, license_type_id = 4, expires_at = now(), ip_restrictions_enabled = true
      where site_id = 1 and user_id = 10`.execute(db);
    await sql`update account set locked_until = now() + interval '1 day', failed_count = 5 where user_id = 10`.execute(
      db,
    );
    expect(
      await run('user', 'make-admin', email, '--site', 'northlight', '--lift-ip-restrictions'),
    ).toHaveProperty('link');
    const state = await one(sql`
      select is_active, license_type_id, expires_at, ip_restrictions_enabled, locked_until, failed_count,
        (select bool_or('Manage Settings' = any(g.capabilities)) from group_member gm join user_group g using (site_id, group_id)
          where gm.site_id = 1 and gm.user_id = 10) as administers
      from membership join account using (user_id) where site_id = 1 and user_id = 10`);
    expect(state).toEqual({
      is_active: true,
      license_type_id: 1,
      expires_at: null,
      ip_restrictions_enabled: false,
      locked_until: null,
      failed_count: 0,
      administers: true,
    });
    expect(await lastAudit()).toMatchObject({ action: 'cli.make-admin', actor_id: null, subject_id: '10' });
  });

  test('user make-admin makes a user of another site a member', async () => {
    const row = await one(sql`select email from account a where home_site_id = 1
      and not exists (select 1 from membership m where m.user_id = a.user_id and m.site_id = 2) limit 1`);
    await run('user', 'make-admin', String(row?.['email']), '--site', 'harbor');
    expect(
      await one(
        sql`select count(*)::int as n from membership m join account using (user_id) where email = ${row?.['email']} and is_active and license_type_id = 1 and site_id = 2`,
      ),
    ).toEqual({ n: 1 });
  });

  test('a set-password link invalidates the previous one; sites with an identity manager have none', async () => {
    const first = getLink(await run('user', 'set-password-link', email, '--site', 'northlight'));
    const second = getLink(await run('user', 'set-password-link', email, '--site', 'northlight'));
    expect(await findLink(database().db, first.split('#')[1] ?? '')).toBeUndefined();
    expect(await findLink(database().db, second.split('#')[1] ?? '')).toMatchObject({ userId: 10 });
    await sql`update site set identity_mode = 'identity-manager' where site_id = 1`.execute(database().db);
    await expect(run('user', 'set-password-link', email, '--site', 'northlight')).rejects.toThrow(
      'identity manager',
    );
  });

  test('user reset-two-factor deletes all factors, is audited, and fails without any', async () => {
    const { db } = database();
    await db
      .insertInto('authenticator')
      .values({ user_id: 10, seed: Buffer.from('sealed'), set_up_at: new Date(), next_seed: null })
      .execute();
    await sql`insert into recovery_code (user_id, code_hash) values (10, 'x')`.execute(db);
    await sql`update account set second_factor = true where user_id = 10`.execute(db);
    expect(await run('user', 'reset-two-factor', email, '--site', 'northlight')).toMatchObject({ id: 10 });
    expect(
      await one(sql`select second_factor, (select count(*)::int from recovery_code) as codes,
      (select count(*)::int from mail where recipient = ${email}) as mails from account where user_id = 10`),
    ).toEqual({
      second_factor: false,
      codes: 0,
      mails: 1,
    });
    expect(await lastAudit()).toMatchObject({
      action: 'cli.two-factor-reset',
      actor_id: null,
      subject_id: '10',
    });
    await expect(run('user', 'reset-two-factor', email, '--site', 'northlight')).rejects.toThrow(
      'no second factor',
    );
  });
});

onEachHost(({ database, run, queryOne: one }) => {
  test.each([
    [['site', 'set', 'harbor'], 'Specify what to set'],
    [['site', 'set'], 'Give the slug of one site'],
    [['site', 'set', 'nowhere', '--existing-users', 'deny'], 'No site has the slug nowhere'],
    [['site', 'set', 'harbor', '--existing-users', 'perhaps'], '--existing-users must be allow'],
    [['site', 'set', 'harbor', '--dedicated-domain', '*.harbor.example'], 'is not an e-mail domain'],
    [['site', 'set', 'harbor', '--dedicated-domain', 'a.b', '--no-dedicated-domain'], 'Use either'],
    [['site', 'show', 'harbor', 'northlight'], 'Unexpected arguments: northlight'],
    [['api-key', 'nobody@northlight.example', '--scopes', 'data'], 'No account has the e-mail address'],
    [['api-key', 'x', '--scopes', 'data'], 'Give the e-mail address'],
    [['api-key', 'a@b.example', '--scopes', 'everything'], 'everything is not a scope'],
    [['api-key', 'a@b.example', '--scopes', '__proto__'], '__proto__ is not a scope'],
    [['api-key', 'a@b.example'], 'Specify the scopes of the key'],
    [['api-key', 'a@b.example', '--scopes', 'data', '--expires-days', '0'], 'a whole number from 1 to 3650'],
    [['api-key', 'a@b.example', '--nonsense'], '--nonsense'],
    [['user', 'create', 'a@b.example'], '--first-name'],
    [['user', 'create', 'a@b.example', '--first-name', 'A', '--last-name', 'B'], 'Specify the site'],
    [
      ['user', 'create', 'a@b.example', '--first-name', 'A', '--last-name', 'B', '--site', 'x'],
      'No site has the slug x',
    ],
    [
      [
        'user',
        'create',
        'a@b.example',
        '--first-name',
        'A',
        '--last-name',
        'B',
        '--site',
        'harbor',
        '--group',
        'x',
      ],
      'No group is named x',
    ],
    [
      ['user', 'create', 'a@b.example', '--first-name', 'A', '--last-name', 'B', '--time-zone', 'Moon'],
      '--time-zone: Moon is not a time zone',
    ],
    [['user', 'make-admin', 'a@b.example', 'c@d.example', '--site', 'harbor'], 'Unexpected arguments'],
    [['constructor'], 'Unknown command'],
    [[], 'Unknown command'],
  ])('%j is rejected with a message and changes nothing', async (argv, message) => {
    const rows = sql<
      Record<string, unknown>
    >`select (select count(*) from account) as accounts, (select count(*) from audit_log) as audits`;
    const before = await one(rows);
    await expect((async () => run(...argv))()).rejects.toThrow(message);
    expect(await one(rows)).toEqual(before);
  });

  test('metrics count queued and failed calculations, failed backups, and the failed items of each task', async () => {
    const { db } = database();
    const { type_id: typeId } = await db
      .insertInto('entry_type')
      .values({ site_id: 1, api_name: 'Metric', singular_name: 'Metric', plural_name: 'Metrics' })
      .returning('type_id')
      .executeTakeFirstOrThrow();
    const { field_id: fieldId } = await db
      .insertInto('field')
      .values({
        site_id: 1,
        type_id: typeId,
        api_name: 'A',
        name: 'A',
        description: null,
        kind: 1,
        formula: '"a"',
      })
      .returning('field_id')
      .executeTakeFirstOrThrow();
    await sql`insert into calc_queue (site_id, entry_id, queued_at) values (1, 1, now() - interval '1 hour')`.execute(
      db,
    );
    await sql`insert into calculation_failure (site_id, field_id, entry_id, reason)
      values (1, ${fieldId}, 0, 'A'), (1, ${fieldId}, 7, 'B'), (1, ${fieldId}, 8, 'C')`.execute(db);
    await sql`insert into task_failure (site_id, task, item, reason, retry_at) values
      (1, 'field jobs', 'a', 'A', now()), (1, 'field jobs', 'b', 'A', null), (null, 'other', '', 'A', null)`.execute(
      db,
    );
    const insertBackup = (reason: string | null, finishedAgo: string, verifyState: string | null = null) =>
      sql`insert into backup (site_id, file_name, entry_types, includes_files, status, size, sha256, failure_reason,
          finished_at, verify_state, verify_at)
        values (1, ${crypto.randomUUID()}, '{}', false, ${reason === null ? 'Ready' : 'Failed'}, 1, '\\x00', ${reason},
          now() - ${finishedAgo}::interval, ${verifyState}, now() - ${finishedAgo}::interval)`.execute(db);
    await insertBackup('error', '1 hour');
    await insertBackup('disk-full', '23 hours');
    await insertBackup('interrupted', '25 hours');
    await insertBackup('cancelled', '1 hour');
    await insertBackup(null, '1 hour', 'passed');
    await insertBackup(null, '1 hour', 'failed');
    await insertBackup(null, '25 hours', 'failed');
    const metrics = await run('metrics');
    const { oldestCalculationSeconds } = z.object({ oldestCalculationSeconds: z.number() }).parse(metrics);
    expect(oldestCalculationSeconds).toBeGreaterThanOrEqual(3_600);
    expect(metrics).toEqual({
      queuedCalculations: 1,
      oldestCalculationSeconds,
      failedCalculations: 2,
      parkedFields: 1,
      failedBackups: 2,
      failedBackupChecks: 1,
      failedItems: 3,
      parkedItems: 2,
      tasks: [
        { task: 'field jobs', retrying: 1, parked: 1 },
        { task: 'other', retrying: 0, parked: 1 },
      ],
    });
  });
}, 'once');
