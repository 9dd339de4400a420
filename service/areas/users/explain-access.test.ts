import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { AccessExplanation } from '../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((context) => {
  let admin: Person;
  let user: Person;
  beforeEach(async () => {
    admin = await makePerson(context().db, await makeSite(context().db), {});
    user = await makePerson(context().db, admin.siteId, {
      capabilities: ['Read Data', 'Access Web Service'],
    });
  });
  const explain = (query = '') =>
    as(context().app, admin, 'program').get<AccessExplanation & ErrorBody>(
      `user/${user.userId}/access${query}`,
    );
  const listFailing = async (query = '') => {
    const { body } = await explain(query);
    const fails = body.checks.filter(({ state }) => state === 'fails');
    // Every failed check names its remedy, and the action that does it.
    for (const { remedy, fix } of fails)
      expect([remedy, fix]).toEqual([expect.any(String), expect.any(String)]);
    const accessChecks = body.goals.flatMap(({ goal, checks }) =>
      goal === 'signIn' || goal === 'callApi' ? checks : [],
    );
    const failing = fails.map(({ check }) => check).filter((check) => accessChecks.includes(check));
    return [failing, body.canSignIn, body.canCallInterface];
  };
  /** Answer to each goal, with the checks that fail. */
  const readAnswers = async () => {
    const { goals, checks } = (await explain()).body;
    const failed = new Set<string>(checks.filter(({ state }) => state === 'fails').map(({ check }) => check));
    return Object.fromEntries(
      goals.map(({ goal, answer, checks: own }) => [
        goal,
        [answer, ...own.filter((check) => failed.has(check))].join(' '),
      ]),
    );
  };
  const readChecks = async () => JSON.stringify((await explain()).body.checks);
  const updateMembership = (fields: object) =>
    context()
      .db.updateTable('membership')
      .set(fields)
      .where('site_id', '=', admin.siteId)
      .where('user_id', '=', user.userId)
      .execute();

  test('passes every check for a user without restrictions', async () => {
    expect(await listFailing()).toEqual([[], true, true]);
  });

  test.each([
    [{ is_active: false }, 'active'],
    [{ license_type_id: 4 }, 'license'],
    [{ expires_at: new Date('2026-01-01T00:00:00Z') }, 'membershipEnd'],
  ])('%o: %s prevents signing in and API calls', async (fields, check) => {
    await updateMembership(fields);
    expect(await listFailing()).toEqual([[check], false, false]);
  });

  test('a locked account and a missing password prevent signing in but not API calls', async () => {
    await context()
      .db.updateTable('account')
      .set({ locked_until: new Date(Date.now() + 60_000), password_hash: null })
      .where('user_id', '=', user.userId)
      .execute();
    expect(await listFailing()).toEqual([['locked', 'password'], false, true]);
  });

  test('a missing capability or API key prevents API calls only', async () => {
    const { db } = context();
    await db.deleteFrom('group_member').where('user_id', '=', user.userId).execute();
    await db
      .updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('user_id', '=', user.userId)
      .execute();
    expect(await listFailing()).toEqual([['webService', 'apiKey'], true, false]);
  });

  test('a key that will expire passes with its date, and an expired key prevents API calls', async () => {
    const { db } = context();
    const end = async (days: number) => {
      await sql`update api_key set expires_at = now() + make_interval(days => ${days}::int)
        where user_id = ${user.userId}`.execute(db);
      const found = (await explain()).body.checks.find(({ check }) => check === 'apiKey');
      return `${found?.state}: ${found?.message}`;
    };
    expect(await end(3)).toMatch(/^passes: .* It expires on 20/);
    expect(await end(-3)).toMatch(/^fails: The API key expired on 20/);
    expect(await listFailing()).toEqual([['apiKey'], true, false]);
  });

  test('the address is checked if it is given or known', async () => {
    const getAddressState = async (query = '') =>
      (await explain(query)).body.checks.find(({ check }) => check === 'address')?.state;
    expect(await getAddressState()).toBe('passes');
    await updateMembership({ ip_restrictions_enabled: true });
    expect(await getAddressState()).toBe('unknown');
    await context()
      .db.insertInto('approved_address')
      .values({ site_id: admin.siteId, network: '203.0.113.0/24' })
      .execute();
    expect(await listFailing('?ipAddress=203.0.113.9')).toEqual([[], true, true]);
    expect(await listFailing('?ipAddress=198.51.100.1')).toEqual([['address'], false, false]);
    expect((await explain('?ipAddress=203.0.113.0/24')).status).toBe(400);
  });

  test('uses the federation id of this site for a member whose home is another site', async () => {
    const { db } = context();
    const guest = await makePerson(db, await makeSite(db), {});
    await joinSite(db, admin.siteId, guest.userId);
    await db
      .updateTable('site')
      .set({ identity_mode: 'identity-manager' })
      .where('site_id', '=', admin.siteId)
      .execute();
    await db
      .updateTable('account')
      .set({ federation_id: 'at-home' })
      .where('user_id', '=', guest.userId)
      .execute();
    user = guest;
    expect(await readChecks()).toContain('no federation id');
    const link = { site_id: admin.siteId, user_id: guest.userId, federation_id: 'as-guest' };
    await db.insertInto('identity_link').values(link).execute();
    expect(await readChecks()).toContain('as-guest');
    expect(await readChecks()).not.toContain('at-home');
  });

  test('explains each goal by its own checks, and follows what fixes them', async () => {
    const { db } = context();
    const { siteId } = admin;
    expect(await readAnswers()).toEqual({
      signIn: 'yes',
      callApi: 'yes',
      useWebService: 'yes',
      seeEntryType: 'yes',
      actForUser: 'no principals',
      beInImport: 'no importSettings importKinds importUser',
      beInUserImport: 'yes',
      downloadBackup: 'no manageBackups readyBackups',
      joinGroup: 'yes',
      joinSite: 'no existingUsers dedicatedDomain',
    });

    const principal = await makePerson(db, siteId, {});
    const assignment = { site_id: siteId, proxy_id: user.userId, user_id: principal.userId };
    await db.insertInto('proxy_assignment').values(assignment).execute();
    await sql`insert into ri_setting (site_id, connection_type, is_enabled, collect_relationship_data, email_relationships)
      values (${siteId}, 'API Endpoint', true, true, true)`.execute(db);
    await sql`insert into ri_user (site_id, user_id, is_enabled) values (${siteId}, ${user.userId}, true)`.execute(
      db,
    );
    await sql`update user_group g set capabilities = '{Manage Backups}' from group_member m
      where g.site_id = ${siteId} and m.group_id = g.group_id and m.user_id = ${user.userId}`.execute(db);
    await db
      .insertInto('backup')
      .values({
        site_id: siteId,
        file_name: `b-${siteId}.zip`,
        status: 'Ready',
        size: 1,
        sha256: Buffer.alloc(32),
        finished_at: new Date(),
        entry_types: [],
        includes_files: false,
      })
      .execute();
    await sql`update site set may_manage_existing_users = true, dedicated_domain = 'people.test'
      where site_id = ${siteId}`.execute(db);
    expect(await readAnswers()).toEqual({
      signIn: 'yes',
      callApi: 'no webService',
      useWebService: 'no webService',
      seeEntryType: 'no readData',
      actForUser: 'yes',
      beInImport: 'yes',
      beInUserImport: 'yes',
      downloadBackup: 'yes',
      joinGroup: 'yes',
      joinSite: 'yes',
    });

    const setBackupDeleted = (at: Date | null) =>
      db.updateTable('backup').set({ deleted_at: at }).where('site_id', '=', siteId).execute();
    await setBackupDeleted(new Date());
    expect(await readAnswers()).toMatchObject({ downloadBackup: 'no readyBackups' });
    await setBackupDeleted(null);

    // The principal cannot be acted for, and the identity manager decides what the service cannot know.
    await db
      .updateTable('membership')
      .set({ is_active: false })
      .where('user_id', '=', principal.userId)
      .execute();
    await sql`update site set identity_mode = 'identity-manager' where site_id = ${siteId}`.execute(db);
    expect(await readAnswers()).toMatchObject({
      signIn: 'unknown',
      actForUser: 'no principals',
      downloadBackup: 'unknown',
    });
  });

  test('is 404 for a user of another site', async () => {
    user = await makePerson(context().db, await makeSite(context().db), {});
    expect((await explain()).status).toBe(404);
  });
});
