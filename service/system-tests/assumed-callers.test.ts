/**
 * A request whose token was used before starts with the caller of that time. These tests change what the token may do in between:
 * the next request must be refused, or have the present rights, as if nothing were remembered.
 */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { as, makePerson, makeSite, onEachApp, type Person } from '../testing/site.ts';

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let other: Person;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    admin = await makePerson(context().db, siteId);
    other = await makePerson(context().db, siteId);
  });

  const read = (surface: 'console' | 'program') => api(surface).get(`user/${other.userId}`);
  const api = (surface: 'console' | 'program') =>
    surface === 'console' ? as(context().app, admin, 'console') : as(context().app, admin);
  const loadFirstName = async () => {
    const { rows } = await sql<{
      name: string;
    }>`select first_name as name from account where user_id = ${other.userId}`.execute(context().db);
    return rows[0]?.name;
  };

  test.each([
    ['no longer exists', 401, () => sql`delete from access_token where user_id = ${admin.userId}`],
    [
      'has expired',
      401,
      () => sql`update access_token set expires_at = now() where user_id = ${admin.userId}`,
    ],
    [
      'belongs to a key that was turned off',
      401,
      () => sql`update api_key set disabled_at = now() where user_id = ${admin.userId}`,
    ],
    [
      'belongs to an inactive user',
      401,
      () => sql`update membership set is_active = false where user_id = ${admin.userId}`,
    ],
    ['lacks a capability', 403, () => sql`delete from group_member where user_id = ${admin.userId}`],
    [
      'lacks a scope',
      403,
      () => sql`update access_token set scopes = '{data}' where user_id = ${admin.userId}`,
    ],
    [
      'is refused from this address',
      403,
      () => sql`update membership set ip_restrictions_enabled = true where user_id = ${admin.userId}`,
    ],
  ] as const)('a token that %s reads and writes nothing', async (_name, status, buildChange) => {
    const write = (firstName: string | number) => api('program').put('user', { id: other.userId, firstName });
    expect((await read('program')).status).toBe(200);
    expect((await write('Before')).status).toBe(200);
    await buildChange().execute(context().db);
    expect((await read('program')).status).toBe(status);
    expect((await write('After')).status).toBe(status);
    // Errors of the body are for those who may call the operation.
    expect((await write(7)).status).toBe(status);
    expect((await api('program').put('user', undefined)).status).toBe(status);
    expect(await loadFirstName()).toBe('Before');
  });

  test('a session that has ended reads nothing; its header of acting is gone as well', async () => {
    expect((await read('console')).status).toBe(200);
    const reply = await read('console');
    expect([reply.status, reply.headers['x-steward-acting']]).toEqual([200, '0']);
    await sql`delete from session where user_id = ${admin.userId}`.execute(context().db);
    const refused = await read('console');
    expect([refused.status, refused.headers['x-steward-acting']]).toEqual([401, undefined]);
  });
});
