import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import type {
  Installation,
  PlatformSite,
  Session,
  SiteIdentity,
  TwoFactorCoverage,
} from '../../../contract/generated/types.gen.ts';
import { createHeartbeatTask, PROCESS_ID } from '../../kernel/tasks/heartbeat-task.ts';
import { deleteProcess } from '../../kernel/tasks/processes.store.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import {
  as,
  dataDir,
  joinSite,
  makePerson,
  makeOtherPlatformAdministrator,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';
import { addPlatformAdministrator, addFirstPlatformAdministrator } from '../sites/index.ts';

const INSTALLATION = '/api/platform/installation';
const SITES = '/api/platform/sites';

const uniqueSlug = () => `s${crypto.randomUUID().slice(0, 8)}`;

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    const { db } = context();
    person = await makePerson(db, await makeSite(db), {});
    await db.transaction().execute((tx) => addPlatformAdministrator(tx, person.userId));
  });
  const api = (who = person) => as(context().app, who, 'console');
  const create = (body: object) => api().post<PlatformSite & ErrorBody>(SITES, body);

  test('rejects site administrators who are not platform administrators', async () => {
    const other = await makePerson(context().db, person.siteId, {});
    for (const path of [
      INSTALLATION,
      SITES,
      `${SITES}/${person.siteId}`,
      `${SITES}/${person.siteId}/identity`,
    ]) {
      // Sequential requests.
      expect((await api(other).get<ErrorBody>(path)).status).toBe(403);
    }
    expect((await api(other).get<Session>('/api/session')).body.runsPlatform).toBe(false);
    expect((await api().get<Session>('/api/session')).body.runsPlatform).toBe(true);
  });

  test('shows processes, database, files, queues, backups and checks of the installation', async () => {
    const { db } = context();
    const heartbeats = createHeartbeatTask(db, { maxConnections: 10, recordsWrites: false });
    await heartbeats.run();
    await heartbeats.run();
    // A process that was killed, and one that was killed long ago.
    await sql`insert into service_process (process_id, host, pid, version, node_version, started_at, seen_at,
        memory_bytes, connections_in_use, max_connections)
      select gen_random_uuid(), host, 7, '0.0.1', '26.0.0', now() - interval '2 hours', now() - seen::interval, 1, 0, 10
      from (values ('killed', '95 seconds'), ('forgotten', '61 minutes')) p (host, seen)`.execute(db);
    const backup = async (seconds: number, verification: string | null) =>
      sql`insert into backup (site_id, file_name, entry_types, includes_files, status, size, sha256, finished_at, verify_state)
        values (${person.siteId}, ${String(seconds)}, '{}', false, 'Ready', 1, '', now() + make_interval(secs => ${seconds}::int), ${verification})`.execute(
        db,
      );
    const { body: before } = await api().get<Installation>(INSTALLATION);
    await backup(60, null);
    await backup(120, 'passed');
    await mkdir(join(dataDir, 'copies', '2026-11-01T02-03-04Z'), { recursive: true });
    // A heartbeat has a delay of the event loop once one was sampled since the one before.
    await vi.waitFor(
      async () => {
        await heartbeats.run();
        const { body: now } = await api().get<Installation>(INSTALLATION);
        expect(now.processes.find(({ isThis }) => isThis)?.loopDelayMs).toEqual(expect.any(Number));
      },
      { timeout: 20_000 },
    );
    const { status, body } = await api().get<Installation>(INSTALLATION);
    expect(status).toBe(200);
    expect(body.processes.map(({ host }) => host)).not.toContain('forgotten');
    expect(body.processes.find(({ isThis }) => isThis)).toMatchObject({
      pid: process.pid,
      version: body.version,
      isSilent: false,
      maxConnections: 10,
    });
    const own = body.processes.find(({ isThis }) => isThis);
    expect([typeof own?.loopDelayMs, typeof own?.connectionWaitMs]).toEqual(['number', 'number']);
    expect(body.processes.find(({ host }) => host === 'killed')).toMatchObject({
      isSilent: true,
      isThis: false,
    });
    expect(body.database).toMatchObject({
      kind: context().database.kind,
      pendingMigrations: [],
      newerMigrations: [],
    });
    expect(body.database.version).toMatch(/^\d+\.\d+/);
    expect(body.database.newestMigration).toMatch(/^\d{4}_/);
    expect(body.database.sizeBytes).toBeGreaterThan(1e6);
    expect(body.queues.map(({ queue }) => queue).toSorted()).toEqual([
      'backups',
      'calculations',
      'jobs',
      'mail',
    ]);
    expect(body.backups.newestVerification).toBe('passed');
    expect(body.backups.sitesWithoutRecent).toBe(before.backups.sitesWithoutRecent - 1);
    expect(body.copies).toEqual({ everyHours: 6, newestDate: '2026-11-01T02:03:04.000Z', count: 1 });
    expect(body.files.folder).toBe(dataDir);
    expect(body.files.freeBytes).toBeGreaterThan(0);
    expect(body.checks).toEqual([expect.objectContaining({ check: 'disk', fix: 'Free space.' })]);
    // Neither users nor contents of sites.
    expect(JSON.stringify(body)).not.toContain(person.email);
    await deleteProcess(db, PROCESS_ID);
    const { body: after } = await api().get<Installation>(INSTALLATION);
    expect(after.processes.some(({ isThis }) => isThis)).toBe(false);
  });

  test('creates a site with a new administrator, who is mailed a link', async () => {
    const email = `${uniqueSlug()}@first.test`;
    const created = await create({
      slug: uniqueSlug(),
      name: ' Østre ',
      timeZone: 'europe/oslo',
      administrator: { email, firstName: 'Fay', lastName: 'First' },
    });
    expect([created.status, created.body]).toEqual([
      200,
      expect.objectContaining({ name: 'Østre', timeZone: 'Europe/Oslo', members: 1, administrators: 1 }),
    ]);
    const mails = await context().db.selectFrom('mail').selectAll().where('recipient', '=', email).execute();
    expect(mails.map(({ body_text }) => body_text)).toEqual([expect.stringContaining('/link#')]);
  });

  test('creates a site for an existing account', async () => {
    const existing = await makePerson(context().db, person.siteId, {});
    const created = await create({
      slug: uniqueSlug(),
      name: 'Second',
      administrator: { email: existing.email },
    });
    expect(created.body).toMatchObject({ members: 1, administrators: 1 });
    const { body } = await api(existing).get<Session>('/api/session');
    expect(body.sites.map(({ name }) => name)).toContain('Second');
  });

  test('allows 20 new sites an hour per caller, because each one sends a mail', async () => {
    await context()
      .db.insertInto('throttle')
      .values({ key: `new-site:${person.userId}`, count: 20, window_started_at: new Date() })
      .execute();
    const created = await create({
      slug: uniqueSlug(),
      name: 'More',
      administrator: { email: person.email },
    });
    expect(created.status).toBe(429);
  });

  test('a taken slug, missing names and an invalid time zone leave nothing behind', async () => {
    const taken = uniqueSlug();
    await create({ slug: taken, name: 'One', administrator: { email: person.email } });
    const before = (await api().get<PlatformSite[]>(SITES)).body.length;
    const again = await create({ slug: taken, name: 'Two', administrator: { email: person.email } });
    expect([again.status, again.body.errors?.[0]?.path]).toEqual([409, 'slug']);
    const nameless = await create({
      slug: uniqueSlug(),
      name: 'Three',
      administrator: { email: 'new@one.test' },
    });
    expect([nameless.status, nameless.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['administrator.firstName', 'administrator.lastName'],
    ]);
    const zone = {
      slug: uniqueSlug(),
      name: 'Four',
      timeZone: 'Moon',
      administrator: { email: person.email },
    };
    expect((await create(zone)).status).toBe(400);
    const unreachable = await create({
      slug: uniqueSlug(),
      name: 'Five',
      administrator: { email: 'nobody', firstName: 'No', lastName: 'Body' },
    });
    expect([unreachable.status, unreachable.body.errors?.[0]?.path]).toEqual([400, 'administrator.email']);
    expect((await api().get<PlatformSite[]>(SITES)).body).toHaveLength(before);
  });

  test('stores the normalized dedicated domain and honors If-Match', async () => {
    const path = `${SITES}/${person.siteId}`;
    const { headers } = await api().get(path);
    const changed = await api().put<PlatformSite>(path, {
      dedicatedDomain: 'MÜNCHEN.example',
      mayManageExistingUsers: true,
      hasAgentServer: true,
    });
    expect(changed.body).toMatchObject({
      dedicatedDomain: 'xn--mnchen-3ya.example',
      mayManageExistingUsers: true,
      hasAgentServer: true,
    });
    const ifMatch = { 'if-match': String(headers['etag']) };
    expect((await api().put(path, { name: 'Late' }, { headers: ifMatch })).status).toBe(412);
    const wrong = await api().put<ErrorBody>(path, { dedicatedDomain: '*.example', name: ' ' });
    expect(wrong.body.errors?.map(({ path: at }) => at)).toEqual(['name', 'dedicatedDomain']);
    expect((await api().put<PlatformSite>(path, { dedicatedDomain: null })).body.dedicatedDomain).toBeNull();
    expect((await api().get(`${SITES}/2147483647`)).status).toBe(404);
  });

  test('a site administrator cannot take over a platform administrator', async () => {
    const { db } = context();
    const admin = await makePerson(db, person.siteId, {});
    const { userId } = person;
    const attempts = (who: Person) => [
      () => api(who).put<ErrorBody>('user', { id: userId, email: `${uniqueSlug()}@taken.test` }),
      () => api(who).put<ErrorBody>('user', { id: userId, isActive: false }),
      () => api(who).put<ErrorBody>('userLicense', { userId, licenseTypeId: 4 }),
      () => api(who).del<ErrorBody>(`user/${userId}/sessions`),
      () => api(who).del<ErrorBody>(`user/${userId}/two-factor`),
      () => api(who).del<ErrorBody>(`user/${userId}`),
    ];
    for (const attempt of attempts(admin)) {
      // Sequential requests.
      const { status, body } = await attempt();
      expect([status, body.message]).toEqual([
        403,
        expect.stringContaining('requires a platform administrator'),
      ]);
    }
    await db.transaction().execute((tx) => addPlatformAdministrator(tx, admin.userId));
    const [changed] = attempts(admin);
    expect((await changed?.())?.status).toBe(200);
  });

  test('counts the platform administrators who can sign in without the site', async () => {
    const { db } = context();
    await db.deleteFrom('platform_administrator').where('user_id', '!=', person.userId).execute();
    const path = `${SITES}/${person.siteId}/identity`;
    const readIndependentAdministrators = async () =>
      (await api().get<SiteIdentity>(path)).body.runnersBeside;
    // The provider is contacted before saving; saving an issuer that answers is tested in identity.test.ts.
    await db
      .insertInto('identity_provider')
      .values({
        site_id: person.siteId,
        issuer: 'http://127.0.0.1:1',
        client_id: 'x',
        client_secret: null,
        claim: 'sub',
      })
      .execute();
    expect(await readIndependentAdministrators()).toEqual({ you: false, others: 0 });
    const second = await makeSite(db);
    await joinSite(db, second, person.userId, { isActive: false });
    expect(await readIndependentAdministrators()).toEqual({ you: false, others: 0 });
    await db.updateTable('membership').set({ is_active: true }).where('site_id', '=', second).execute();
    expect(await readIndependentAdministrators()).toEqual({ you: true, others: 0 });
    await db
      .updateTable('account')
      .set({ password_hash: null })
      .where('user_id', '=', person.userId)
      .execute();
    expect(await readIndependentAdministrators()).toEqual({ you: false, others: 0 });
    await makeOtherPlatformAdministrator(db);
    expect(await readIndependentAdministrators()).toEqual({ you: false, others: 1 });
  });

  test('counts as active users who is not deactivated, whether or not they have a license', async () => {
    const { db } = context();
    const siteId = await makeSite(db);
    await makePerson(db, siteId);
    await makePerson(db, siteId, { licenseTypeId: 4 });
    await makePerson(db, siteId, { isActive: false });
    const { body } = await api().get<PlatformSite>(`${SITES}/${siteId}`);
    // Without a license nobody administers the site.
    expect(body).toMatchObject({ members: 2, administrators: 1 });
    const identity = await api().get<SiteIdentity>(`${SITES}/${siteId}/identity`);
    expect(identity.body.members).toBe(2);
    // The page about second factors counts the same users.
    const admin = await makePerson(db, siteId);
    const { body: coverage } = await as(context().app, admin).get<TwoFactorCoverage>(
      '/api/rest/v1/management/settings/two-factor',
    );
    const { requiredSetUp, requiredNotSetUp, optionalSetUp, optionalNotSetUp } = coverage;
    expect(requiredSetUp + requiredNotSetUp + optionalSetUp + optionalNotSetUp).toBe(3);
  });

  test('only the first administrator becomes platform administrator', async () => {
    const { db } = context();
    const second = await makePerson(db, person.siteId, {});
    await db.transaction().execute((tx) => addFirstPlatformAdministrator(tx, second.userId));
    expect((await api(second).get<Session>('/api/session')).body.runsPlatform).toBe(false);
  });
});
