/** A site with everything that operations name, for requests that are generated; and its repair after they have changed it. */
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { DataRequestResultVm } from '../../../contract/generated/types.gen.ts';
import { registry } from '../../areas/registry.ts';
import type { Db } from '../../kernel/db/database.ts';
import { createJobTasks, runDueJobs } from '../../kernel/jobs/run-jobs.ts';
import { createEgress } from '../../kernel/network/egress.ts';
import { hashSecret } from '../../kernel/secret.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { makeAgentKey } from '../agents.ts';
import { makeQueuedBackups } from '../backups.ts';
import type { ApiClient } from '../calls.ts';
import { makeThings, type Things, uploadFiles } from '../entries/entries.ts';
import { makeDocx, paragraph } from '../files/documents.ts';
import { createJobContext } from '../jobs.ts';
import { enableRelationships, makeEmails } from '../relationships.ts';
import { hashCheaply } from '../sign-in.ts';
import {
  allCapabilities,
  allScopes,
  as,
  joinSite,
  makeKey,
  makePerson,
  makeSite,
  makeToken,
  openSession,
  type Person,
  services,
} from '../site.ts';
import { SecretFinder } from './secrets.ts';
import { enterState, findObjects, startJobs } from './states.ts';
import { FOREIGN_MARKER, ValuePool } from './values.ts';

export const PASSWORD = 'Canary-password-7d1f';

/** The kinds of callers; each of them sends requests through both APIs. */
export const CALLER_KINDS = [
  'anonymous',
  'invalid',
  'administrator',
  'platform',
  'reader',
  'disposable',
  'proxy',
  'half',
  'foreign',
] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];
export type Surface = 'program' | 'console';

export interface FuzzWorld {
  app: FastifyInstance;
  db: Db;
  siteId: number;
  values: ValuePool;
  things: Things;
  /** Bytes of a template of a report. */
  template: Buffer;
  /** Secrets that may appear in no log record: those of the set-up, and those that responses and mails have issued. */
  secrets: SecretFinder;
  getHeaders(caller: CallerKind, surface: Surface): Record<string, string>;
  /** Gives all callers their rights and credentials back. */
  repair(): Promise<void>;
  /** Runs the jobs and the scheduled tasks that are due. @returns the messages of tasks that failed */
  runBackgroundWork(): Promise<string[]>;
}

/**
 * Creates the site. `log` receives what jobs and tasks write; ids begin at `firstId`, so that several worlds of a database differ in
 * theirs.
 */
export async function createFuzzWorld(context: {
  app: FastifyInstance;
  db: Db;
  log: Log;
  firstId?: number;
  /** The disposable caller is signed in as any other, and in no state of `states.ts`. */
  withoutStates?: boolean;
}): Promise<FuzzWorld> {
  const { app, db, log, firstId = 1_000_003, withoutStates = false } = context;
  const values = new ValuePool();
  const secrets = new SecretFinder();
  secrets.add(PASSWORD);
  // Numbers of generated requests must not meet ids by chance.
  for (const [table, column] of [
    ['account', 'user_id'],
    ['user_group', 'group_id'],
    ['entry_type', 'type_id'],
    ['entry', 'entry_id'],
  ] as const)
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${firstId}::bigint - 1)`.execute(db);

  const foreignSiteId = await makeSite(db);
  const foreign = await makePerson(db, foreignSiteId, { email: `admin${firstId}@${FOREIGN_MARKER}.test` });
  await sql`update site set name = ${FOREIGN_MARKER} where site_id = ${foreignSiteId}`.execute(db);
  const foreignApi = as(app, foreign);
  await foreignApi.post('user/group', { name: FOREIGN_MARKER });
  const foreignType = await foreignApi.post<{ id: number }>('/api/rest/v4/schema/entrytypes', {
    apiName: 'Zebra',
    singularName: FOREIGN_MARKER,
    pluralName: FOREIGN_MARKER,
  });

  const things = await makeThings({ app, db });
  const { siteId, person: administrator, api } = things;
  await sql`update site set has_agent_server = true, may_manage_existing_users = true where site_id = ${siteId}`.execute(
    db,
  );
  const platform = await makePerson(db, siteId);
  const reader = await makePerson(db, siteId, {
    capabilities: ['Read Data', 'Access Web Service'],
    scopes: ['data'],
  });
  const proxy = await makePerson(db, siteId);
  const half = await makePerson(db, siteId);
  const principal = await makePerson(db, siteId, { capabilities: ['Read Data', 'Access Web Service'] });
  const newcomer = await makePerson(db, await makeSite(db));
  const invitee = await makePerson(db, await makeSite(db));
  const agentKey = await makeAgentKey({ app, db }, administrator);
  secrets.add(agentKey.secret);
  await enableRelationships(db, siteId, [administrator.userId, reader.userId]);
  await db.insertInto('platform_administrator').values({ user_id: platform.userId }).execute();
  await sql`insert into proxy_assignment (site_id, proxy_id, user_id)
    select ${siteId}, unnest(${[proxy.userId, administrator.userId]}::int[]), ${principal.userId}`.execute(
    db,
  );
  const lasting = { administrator, platform, reader, proxy, half };
  const persons: Record<string, Person> = { ...lasting, foreign };

  const entryIds = await things.create(
    { Name: 'Alpha', Note: 'First', Score: 1 },
    { Name: 'Beta', Stage: things.choice('Stage', 'Won') },
    { Name: 'Gamma' },
  );
  const deleted = await things.create({ Name: 'Deleted' });
  await things.remove(...deleted);
  const template = await makeDocx(paragraph('{Name} {Note}'));
  const link = await makePerson(db, siteId);
  values.keep('userId', ...Object.values(lasting).map(({ userId }) => userId), principal.userId, link.userId);
  values.keep('groupId', ...Object.values(lasting).map(({ groupId }) => groupId));
  values.keep('entryTypeId', things.typeId);
  values.keep('mainTypeId', things.typeId);
  values.keep('fieldId', things.field('Name').id, things.field('Note').id, things.field('Score').id);
  values.keep('textFieldId', things.field('Note').id, things.field('Name').id, things.field('Memo').id);
  values.keep('entryId', ...entryIds);
  values.keep('deletedEntryId', ...deleted);
  values.keep('email', administrator.email, link.email, newcomer.email);
  values.keep('guestEmail', newcomer.email);
  values.keep('inviteeEmail', invitee.email);
  values.keep('principalId', principal.userId);
  values.keep('siteId', siteId, foreignSiteId);
  values.keep('topicName', 'default-data', 'default-users', 'default-schema');
  values.keep(
    'environment',
    (await db.selectFrom('site').select('slug').where('site_id', '=', siteId).executeTakeFirstOrThrow()).slug,
  );
  values.keep('entryTypeName', 'Thing', String(things.typeId));
  values.keep('importerId', administrator.userId);
  values.keep('currency', 'EUR', 'USD', 'JPY');
  values.keep('timeZone', 'UTC', 'Europe/Berlin');
  values.keep('licenseTypeId', 1, 2, 3);
  values.keep('foreignId', foreign.userId, foreign.groupId, foreignType.body.id);
  values.keep('clientId', administrator.clientId, reader.clientId);
  values.keep('passwordOf', administrator.email);
  values.keep('agentSecret', agentKey.secret);

  await sql`delete from api_key where user_id = ${link.userId}`.execute(db);
  const key = await makeKey(db, link);
  secrets.add(key.secret);
  values.keep('tokenRequest', {
    grant_type: 'client_credentials',
    client_id: String(key.clientId),
    client_secret: key.secret,
  });
  const attachFile = async (entryId = 0) => {
    const files = [{ field: 'Plan', content: Buffer.from('A plan') }];
    await uploadFiles(
      app,
      { ...things, person: persons['administrator'] ?? administrator },
      { entryId, files },
    );
    values.set('fileEntryId', entryId);
  };
  await attachFile(entryIds[0]);
  values.keep('fileFieldId', things.field('Plan').id);

  const { rows } = await sql<{ client_id: number; user_id: number }>`
    select client_id, user_id from api_key`.execute(db);
  const clientIds = new Map(rows.map((row) => [row.user_id, row.client_id]));
  let disposable: Person = link;
  let repairs = 0;
  let mailId = 0;

  /** Links of new mails: tokens that set passwords, and those of invitations. */
  const readMails = async () => {
    const mails = await sql<{ mail_id: number; body_text: string }>`
      select mail_id::int, body_text from mail where mail_id > ${mailId} order by mail_id desc limit 50`.execute(
      db,
    );
    mailId = mails.rows[0]?.mail_id ?? mailId;
    for (const { body_text: text } of mails.rows) {
      const token = /\/(?:link|invitation)#([\w-]+)/.exec(text);
      if (token?.[1] === undefined) continue;
      secrets.add(token[1]);
      values.add(text.includes('/invitation#') ? 'invitationToken' : 'linkToken', token[1]);
    }
  };

  const repairPerson = async (name: string, person: Person, capabilities: readonly string[]) => {
    const { siteId: site, userId, groupId } = person;
    await sql`insert into membership (site_id, user_id, license_type_id) values (${site}, ${userId}, 1)
      on conflict (site_id, user_id) do update set license_type_id = 1, is_active = true, two_factor_enabled = false,
        ip_restrictions_enabled = false, expires_at = null`.execute(db);
    await sql`insert into user_group (site_id, group_id, name, capabilities) overriding system value
      values (${site}, ${groupId}, ${`Group of ${name} ${userId}`}, ${[...capabilities]}::text[])
      on conflict (site_id, group_id) do update set capabilities = excluded.capabilities, name = excluded.name`.execute(
      db,
    );
    await sql`insert into group_member (site_id, group_id, user_id) values (${site}, ${groupId}, ${userId})
      on conflict do nothing`.execute(db);
    await sql`update account set password_hash = ${passwordHash}, locked_until = null, failed_count = 0, second_factor = false
      where user_id = ${userId}`.execute(db);
    const clientId = clientIds.get(userId) ?? 0;
    await sql`update api_key set disabled_at = case when client_id = ${clientId} then null else coalesce(disabled_at, now()) end,
      expires_at = null where site_id = ${site} and user_id = ${userId}`.execute(db);
    const scopes = name === 'reader' ? (['data'] as const) : allScopes;
    const token = await makeToken(db, { siteId: site, userId, clientId }, scopes);
    const cookie = await openSession(db, site, userId);
    await sql`update session set proven_at = now(), pending = ${name === 'half' ? 'two-factor' : null}
      where token_hash = ${hashSecret(cookie)}`.execute(db);
    secrets.add(token, cookie);
    persons[name] = { ...person, token, cookie };
  };
  const passwordHash = hashCheaply(PASSWORD);

  const makeDisposable = async () => {
    disposable = await makePerson(db, siteId, { passwordHash });
    await sql`update session set proven_at = now() where user_id = ${disposable.userId}`.execute(db);
    if (repairs % 2 === 0) await sql`delete from api_key where user_id = ${disposable.userId}`.execute(db);
    else await joinSite(db, foreignSiteId, disposable.userId);
    secrets.add(disposable.token, disposable.cookie);
    persons['disposable'] = disposable;
    values.add('userId', disposable.userId);
    await sql`insert into proxy_assignment (site_id, proxy_id, user_id)
      values (${siteId}, ${disposable.userId}, ${principal.userId})`.execute(db);
    await openSession(db, siteId, disposable.userId);
    const { rows: sessions } = await sql<{ id: string }>`
      select session_id::text as id from session where user_id = ${disposable.userId} order by created_at desc`.execute(
      db,
    );
    values.set('sessionId', ...sessions.map(({ id }) => id));
    if (withoutStates) return;
    const states = { app, db, values, password: PASSWORD, principalId: principal.userId };
    const cookie = await enterState(states, disposable, repairs);
    persons['disposable'] = { ...disposable, cookie };
    secrets.add(cookie);
  };

  /** Replaces what deletions took. */
  const restoreThings = async () => {
    const { rows: alive } = await sql<{ id: number }>`
      select entry_id as id from entry where site_id = ${siteId} and type_id = ${things.typeId}
      order by entry_id limit 20`.execute(db);
    const administratorApi = as(app, persons['administrator'] ?? administrator);
    if (alive.length < 3) {
      // The token of the first administrator ends after 15 minutes.
      const { status, body } = await administratorApi.post<DataRequestResultVm[]>(
        `/api/rest/v4/data/entrydata/${things.typeId}`,
        { storeRequests: things.items(-1, { Name: `New ${repairs}` }) },
      );
      expect(status).toBe(200);
      alive.push(...body.slice(0, 1).map(({ entryId }) => ({ id: entryId ?? 0 })));
    }
    values.set('entryId', ...alive.slice(0, 6).map(({ id }) => id));
    if (!alive.some(({ id }) => id === values.list('fileEntryId')[0])) await attachFile(alive[0]?.id);
    const { rows: backups } = await sql<{ name: string }>`
      select file_name as name from backup where site_id = ${siteId} and status = 'Ready' and deleted_at is null order by 1 limit 3`.execute(
      db,
    );
    values.set('fileName', ...backups.map(({ name }) => name));
    if (backups.length > 0 || repairs % 10 !== 1) return;
    // The request is refused while there is one in the queue.
    await administratorApi.post('/api/rest/v4/backups/request', {});
    await makeQueuedBackups(db);
  };

  async function repair(): Promise<void> {
    repairs += 1;
    values.set('now', new Date().toISOString());
    for (const table of ['group_member', 'membership'])
      await sql`delete from ${sql.table(table)} where site_id = ${siteId} and user_id = ${newcomer.userId}`.execute(
        db,
      );
    // Nobody is invited twice; the newcomer keeps an invitation, which requests name.
    for (const table of ['invitation', 'membership'])
      await sql`delete from ${sql.table(table)} where site_id = ${siteId} and user_id = ${invitee.userId}`.execute(
        db,
      );
    // The people of the other site may add those of the site; they would see both.
    await sql`delete from membership where site_id = ${foreignSiteId}
      and user_id = any(${Object.values(lasting).map(({ userId }) => userId)})`.execute(db);
    for (const site of [siteId, foreignSiteId])
      await sql`update site set identity_mode = 'password', dedicated_domain = 'people.test', storage_quota = null,
        has_agent_server = true, may_manage_existing_users = true where site_id = ${site}`.execute(db);
    for (const table of ['approved_address', 'ri_gate'])
      await sql`delete from ${sql.table(table)} where site_id = ${siteId}`.execute(db);
    await sql`delete from throttle`.execute(db);
    await sql`update ri_setting set connection_type = 'API Endpoint', is_enabled = true, email_relationships = true,
      meeting_relationships = true, collect_relationship_data = true where site_id = ${siteId}`.execute(db);
    await sql`insert into ri_user (site_id, user_id, is_enabled) values (${siteId}, ${administrator.userId}, true)
      on conflict (site_id, user_id) do update set is_enabled = true`.execute(db);
    // The number of open jobs is limited; the newest of each state stay.
    await sql`with ranked as (select job_id, state, row_number() over (partition by state order by job_id desc) as rank
        from job where site_id = ${siteId}),
      cancelled as (update job set state = 'cancelled', finished_at = now() where job_id in (
        select job_id from ranked where rank > 3 and state in ('waiting', 'paused', 'uploading')))
      delete from job where job_id in (
        select job_id from ranked where rank > 12 and state in ('finished', 'cancelled', 'stopped'))`.execute(
      db,
    );
    await sql`delete from publication_subscriber where site_id = ${siteId}`.execute(db);
    await sql`update agent_key set revoked_at = null, revoked_by = null, paused_at = null, expires_at = now() + interval '1 year'
      where site_id = ${siteId} and key_id = ${agentKey.key.id}`.execute(db);
    await sql`update agent_site set is_enabled = true, forbidden_type_ids = '{}', forbidden_field_ids = '{}' where site_id = ${siteId}`.execute(
      db,
    );
    for (const [name, person] of Object.entries(lasting))
      await repairPerson(
        name,
        person,
        name === 'reader' ? ['Read Data', 'Access Web Service'] : allCapabilities,
      );
    await repairPerson('foreign', foreign, allCapabilities);
    await sql`insert into proxy_assignment (site_id, proxy_id, user_id)
      select ${siteId}, unnest(${[proxy.userId, administrator.userId]}::int[]), ${principal.userId}
      on conflict do nothing`.execute(db);
    await sql`insert into membership (site_id, user_id, license_type_id) values (${siteId}, ${principal.userId}, 1)
      on conflict (site_id, user_id) do update set is_active = true, license_type_id = 1`.execute(db);
    await sql`insert into platform_administrator (user_id) values (${platform.userId}) on conflict do nothing`.execute(
      db,
    );
    await makeDisposable();
    await restoreThings();
    const person = persons['administrator'] ?? administrator;
    await findObjects({ app, db, values, person, api: as(app, person), typeId: things.typeId, template });
    await readMails();
  }

  // A failed delivery takes the whole time limit.
  const egress = createEgress({ rules: [], log, timeLimitMs: 100 });
  const taskServices = { ...services, egress };
  const files = { ...services, leaseRenewalMs: 50 };
  const jobContext = { ...createJobContext(db), log, files };
  const tasks = [
    ...registry.createTasks({ db, services: taskServices }),
    ...createJobTasks({ ...jobContext, wakeTask: () => {}, files: services }),
  ];

  let backgroundRuns = 0;
  async function runBackgroundWork(): Promise<string[]> {
    backgroundRuns += 1;
    const failures: string[] = [];
    const administratorApi = as(app, persons['administrator'] ?? administrator);
    await startJobs(administratorApi, things.typeId, {
      userId: link.userId,
      licenseTypeId: 1 + (backgroundRuns % 2),
    });
    await runDueJobs(jobContext);
    for (const task of tasks) {
      try {
        const { failures: failed = [] } = (await task.run()) ?? {};
        for (const { error } of failed) failures.push(`${task.name}: ${String(error)}`);
      } catch (error) {
        failures.push(`${task.name}: ${String(error)}`);
      }
    }
    return failures;
  }

  await repair();
  await runFileJobs(api, values, entryIds, things.typeId, () => runDueJobs(jobContext));
  return {
    app,
    db,
    siteId,
    values,
    things,
    template,
    secrets,
    repair,
    runBackgroundWork,
    getHeaders(caller, surface) {
      const consoleHeader: Record<string, string> = surface === 'console' ? { 'x-steward-console': '1' } : {};
      if (caller === 'anonymous') return consoleHeader;
      if (caller === 'invalid')
        return { ...consoleHeader, authorization: 'Bearer nothing', cookie: 'steward=nothing' };
      const person = persons[caller] ?? administrator;
      if (surface === 'console') return { ...consoleHeader, cookie: `steward=${person.cookie}` };
      return {
        authorization: `Bearer ${person.token}`,
        ...(caller === 'proxy' && { 'as-user': String(principal.userId) }),
      };
    },
  };
}

/** Makes files of jobs, a report and e-mails, which later requests read. */
async function runFileJobs(
  api: ApiClient,
  values: ValuePool,
  entryIds: readonly number[],
  typeId: number,
  run: () => Promise<unknown>,
): Promise<void> {
  const exported = await api.post<{ id: number }>('jobs/entryExports', {
    entryType: String(typeId),
    format: 'csv',
  });
  await run();
  values.keep('fileJobId', exported.body.id);
  values.keep('mails', makeEmails(2));
  values.keep('entryList', entryIds);
}
