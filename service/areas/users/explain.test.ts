import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { AccessExplanation } from '../../../contract/generated/types.gen.ts';
import type { Refusal } from '../../testing/calls.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

onEachApp((house) => {
  let admin: Person;
  let user: Person;
  beforeEach(async () => {
    admin = await makePerson(house().db, await makeSite(house().db), {});
    user = await makePerson(house().db, admin.siteId, { capabilities: ['Read Data', 'Access Web Service'] });
  });
  const ask = (query = '') =>
    as(house().app, admin, 'program').get<AccessExplanation & Refusal>(`user/${user.userId}/access${query}`);
  const failing = async (query = '') => {
    const { body } = await ask(query);
    const fails = body.checks.filter(({ state }) => state === 'fails');
    for (const { remedy } of fails) expect(remedy).toBeTruthy();
    return [fails.map(({ check }) => check), body.canSignIn, body.canCallInterface];
  };
  const told = async () => JSON.stringify((await ask()).body.checks);
  const membership = (fields: object) =>
    house()
      .db.updateTable('membership')
      .set(fields)
      .where('site_id', '=', admin.siteId)
      .where('user_id', '=', user.userId)
      .execute();

  test('somebody whom nothing hinders', async () => {
    expect(await failing()).toEqual([[], true, true]);
  });

  test.each([
    [{ is_active: false }, 'active'],
    [{ license_type_id: 4 }, 'license'],
    [{ expires_at: new Date('2026-01-01T00:00:00Z') }, 'membershipEnd'],
  ])('%o: %s hinders both ways in', async (fields, check) => {
    await membership(fields);
    expect(await failing()).toEqual([[check], false, false]);
  });

  test('a resting account and a missing password hinder people, not programs', async () => {
    await house()
      .db.updateTable('account')
      .set({ locked_until: new Date(Date.now() + 60_000), password_hash: null })
      .where('user_id', '=', user.userId)
      .execute();
    expect(await failing()).toEqual([['locked', 'password'], false, true]);
  });

  test('what a program needs hinders nobody else', async () => {
    const { db } = house();
    await db.deleteFrom('group_member').where('user_id', '=', user.userId).execute();
    await db
      .updateTable('api_key')
      .set({ disabled_at: new Date() })
      .where('user_id', '=', user.userId)
      .execute();
    expect(await failing()).toEqual([['webService', 'apiKey'], true, false]);
  });

  test('a key that expires says when, and one that has expired hinders programs', async () => {
    const { db } = house();
    const end = async (days: number) => {
      await sql`update api_key set expires_at = now() + make_interval(days => ${days}::int)
        where user_id = ${user.userId}`.execute(db);
      const found = (await ask()).body.checks.find(({ check }) => check === 'apiKey');
      return `${found?.state}: ${found?.message}`;
    };
    expect(await end(3)).toMatch(/^passes: .* It expires on 20/);
    expect(await end(-3)).toMatch(/^fails: The API key expired on 20/);
    expect(await failing()).toEqual([['apiKey'], true, false]);
  });

  test('an address is judged where one is named or known', async () => {
    const stateOf = async (query = '') =>
      (await ask(query)).body.checks.find(({ check }) => check === 'address')?.state;
    expect(await stateOf()).toBe('passes');
    await membership({ ip_restrictions_enabled: true });
    expect(await stateOf()).toBe('unknown');
    await house()
      .db.insertInto('approved_address')
      .values({ site_id: admin.siteId, network: '203.0.113.0/24' })
      .execute();
    expect(await failing('?ipAddress=203.0.113.9')).toEqual([[], true, true]);
    expect(await failing('?ipAddress=198.51.100.1')).toEqual([['address'], false, false]);
    expect((await ask('?ipAddress=203.0.113.0/24')).status).toBe(400);
  });

  test('a guest is known to the identity manager by the name of this site, not by that of their home', async () => {
    const { db } = house();
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
    expect(await told()).toContain('no federation id');
    const link = { site_id: admin.siteId, user_id: guest.userId, federation_id: 'as-guest' };
    await db.insertInto('identity_link').values(link).execute();
    expect(await told()).toContain('as-guest');
    expect(await told()).not.toContain('at-home');
  });

  test('a user of another site does not exist here', async () => {
    user = await makePerson(house().db, await makeSite(house().db), {});
    expect((await ask()).status).toBe(404);
  });
});
