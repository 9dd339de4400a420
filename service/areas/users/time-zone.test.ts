/** The time zone of a user: stored for each site, used for date-times by dateTimeBehavior=1 (spec 4.4, shapes 2). */
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Session, UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody } from '../../testing/calls.ts';
import { DATA, makeThings, type Things } from '../../testing/entries/entries.ts';
import { as, joinSite, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PROFILE = '/api/session/profile';
const createInput = () => ({ email: `${crypto.randomUUID()}@new.test`, firstName: 'A', lastName: 'B' });

onEachApp((context) => {
  let siteId = 0;
  let user: Person;
  let api: ApiClient;
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    user = await makePerson(context().db, siteId, { capabilities: [] });
    api = as(context().app, await makePerson(context().db, siteId));
  });

  const readUser = async (id = user.userId) => (await api.get<UserInfoResponse>(`user/${id}`)).body;
  const readZone = async (id = user.userId) => (await readUser(id)).timeZone;
  const change = (timeZone: unknown, more: object = {}) =>
    api.put<ErrorBody>('user', { id: user.userId, timeZone, ...more });
  const own = (person = user) => as(context().app, person, 'console');
  const readSession = async () => (await own().get<Session>('/api/session')).body.user;
  const setZone = (person: Person, timeZone: string | null) => own(person).put(PROFILE, { timeZone });

  /** Changes in the audit log of the site and time zones in the events of the user, oldest first. */
  async function listRecords(): Promise<unknown[]> {
    const audits = await context()
      .db.selectFrom('audit_log')
      .select(['action', 'actor_id', 'changes'])
      .where('site_id', '=', siteId)
      .orderBy('audit_id')
      .execute();
    const { rows } = await sql<{ zone: unknown }>`
      select payload #> '{payload,entities,updated,0,timeZone}' as zone
      from topic_event where site_id = ${siteId} order by off`.execute(context().db);
    return [audits.map((row) => [row.action, row.actor_id, row.changes]), rows.map(({ zone }) => zone)];
  }

  describe('by administrators', () => {
    test('a new user has the given time zone, or none', async () => {
      const create = async (more: object) =>
        (await api.post<number>('user', { ...createInput(), ...more })).body;
      expect(await readZone(await create({}))).toBeNull();
      expect(await readZone(await create({ timeZone: 'america/st_johns' }))).toBe('America/St_Johns');
      const refused = await api.post<ErrorBody>('user', {
        ...createInput(),
        firstName: ' ',
        timeZone: 'Moon',
      });
      expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
        400,
        ['firstName', 'timeZone'],
      ]);
    });

    test('PUT sets it, keeps it when omitted, and null clears it; audit log and events have it', async () => {
      expect((await change('europe/lisbon')).status).toBe(200);
      const { timeZone, modifiedBy } = await readUser();
      expect(timeZone).toBe('Europe/Lisbon');
      expect((await change(undefined, { isActive: true })).status).toBe(200);
      expect((await change('Europe/Lisbon')).status).toBe(200);
      expect(await readZone()).toBe('Europe/Lisbon');
      expect((await change(null)).status).toBe(200);
      expect(await readZone()).toBeNull();
      expect((await change(null)).status).toBe(200);
      expect(await listRecords()).toEqual([
        [
          ['user.update', modifiedBy, { timeZone: [null, 'Europe/Lisbon'] }],
          ['user.update', modifiedBy, { timeZone: ['Europe/Lisbon', null] }],
        ],
        ['Europe/Lisbon', null],
      ]);
    });

    test.each(['Moon', '+02:00', 'Europe', ' Europe/Lisbon'])(
      'rejects %j and stores nothing',
      async (zone) => {
        const { status, body } = await change(zone, { isActive: false, firstName: ' ' });
        expect([status, body.errors]).toEqual([
          400,
          [
            { path: 'firstName', message: 'must not be empty' },
            { path: 'timeZone', message: `${zone} is not a time zone such as Europe/Berlin` },
          ],
        ]);
        expect(await readUser()).toMatchObject({ isActive: true, timeZone: null });
      },
    );

    test.each(['', 'x'.repeat(65), 5])('rejects %j by the contract', async (zone) => {
      const { status, body } = await change(zone);
      expect([status, body.errors?.[0]?.path]).toEqual([400, 'timeZone']);
    });

    test('a renamed time zone keeps the name it was sent with', async () => {
      await change('europe/kyiv');
      expect(await readZone()).toBe('Europe/Kyiv');
    });

    test('each site has its own', async () => {
      const other = await makeSite(context().db);
      await joinSite(context().db, other, user.userId);
      const there = as(context().app, await makePerson(context().db, other));
      await change('Europe/Lisbon');
      expect((await there.get<UserInfoResponse>(`user/${user.userId}`)).body.timeZone).toBeNull();
    });
  });

  describe('by the user', () => {
    test('the own time zone needs no capability, and the session has it', async () => {
      expect(await readSession()).toMatchObject({ timeZone: null });
      expect((await own().put(PROFILE, { timeZone: 'asia/tokyo' })).status).toBe(204);
      expect(await readSession()).toMatchObject({ timeZone: 'Asia/Tokyo' });
      expect(await readUser()).toMatchObject({ timeZone: 'Asia/Tokyo', modifiedBy: user.userId });
      expect((await own().put(PROFILE, {})).status).toBe(204);
      expect(await readZone()).toBe('Asia/Tokyo');
      expect((await own().put(PROFILE, { timeZone: null })).status).toBe(204);
      expect(await readSession()).toMatchObject({ timeZone: null });
      expect(await listRecords()).toEqual([
        [
          ['user.update', user.userId, { timeZone: [null, 'Asia/Tokyo'] }],
          ['user.update', user.userId, { timeZone: ['Asia/Tokyo', null] }],
        ],
        ['Asia/Tokyo', null],
      ]);
    });

    test('nothing else of the profile, and no unknown time zone', async () => {
      const refused = await own().put<ErrorBody>(PROFILE, { timeZone: 'Moon' });
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'timeZone']);
      for (const more of [{ firstName: 'Eve' }, { isActive: true }, { id: 1 }])
        expect((await own().put(PROFILE, { timeZone: 'Asia/Tokyo', ...more })).status).toBe(400);
      expect(await readZone()).toBeNull();
    });

    test('a program has no access to it', async () => {
      expect((await as(context().app, user).put(PROFILE, { timeZone: 'Asia/Tokyo' })).status).toBe(404);
    });

    test('a session that acts for somebody cannot change it', async () => {
      const proxy = await makePerson(context().db, siteId);
      await context()
        .db.insertInto('proxy_assignment')
        .values({ site_id: siteId, proxy_id: proxy.userId, user_id: user.userId })
        .execute();
      const acting = { userId: user.userId, reason: 'Ticket 4711' };
      expect((await own(proxy).put('/api/session/acting', acting)).status).toBe(200);
      expect((await own(proxy).put(PROFILE, { timeZone: 'Asia/Tokyo' })).status).toBe(403);
      expect([await readZone(), await readZone(proxy.userId)]).toEqual([null, null]);
    });
  });

  describe('dateTimeBehavior=1', () => {
    let things: Things;
    beforeEach(async () => {
      things = await makeThings(context());
      await context()
        .db.updateTable('site')
        .set({ time_zone: 'Pacific/Kiritimati' })
        .where('site_id', '=', things.siteId)
        .execute();
    });
    const read = async (entryId: number, dateTimeBehavior: number, by = things.api, headers = {}) => {
      const { body } = await by.post<{ rows: { Seen: string; Founded: string }[] }>(
        `${DATA}/entrydata/rows/query/Thing`,
        { query: { EntryId: entryId }, dateTimeBehavior },
        { headers },
      );
      return [body.rows[0]?.Seen, body.rows[0]?.Founded];
    };
    const write = async (by = things.api, headers = {}) => {
      const values = { Name: crypto.randomUUID(), Seen: '2026-03-01T00:30:00', Founded: '2026-03-01' };
      const { body } = await by.post<{ entryId: number }[]>(
        `${DATA}/entrydata/Thing?dateTimeBehavior=1`,
        { storeRequests: things.items(-1, values) },
        { headers },
      );
      return body[0]?.entryId ?? 0;
    };

    test('reads and writes date-times in the zone of the user, without one in that of the site', async () => {
      const day = '2026-03-01T00:00:00.000+14:00';
      const before = await write();
      expect(await read(before, 1)).toEqual(['2026-03-01T00:30:00.000+14:00', day]);
      expect((await setZone(things.person, 'America/St_Johns')).status).toBe(204);
      const after = await write();
      expect((await read(after, 0))[0]).toBe('2026-03-01T04:00:00.000Z');
      expect(await read(after, 1)).toEqual(['2026-03-01T00:30:00.000-03:30', day]);
      expect(await read(before, 1)).toEqual(['2026-02-28T07:00:00.000-03:30', day]);
      expect((await setZone(things.person, null)).status).toBe(204);
      expect(await read(after, 1)).toEqual(['2026-03-01T18:00:00.000+14:00', day]);
    });

    test('with AS-USER it is the zone of the principal', async () => {
      const proxy = await makePerson(context().db, things.siteId);
      await context()
        .db.insertInto('proxy_assignment')
        .values({ site_id: things.siteId, proxy_id: proxy.userId, user_id: things.person.userId })
        .execute();
      await setZone(things.person, 'America/St_Johns');
      await setZone(proxy, 'Asia/Tokyo');
      const calls = as(context().app, proxy);
      const headers = { 'as-user': String(things.person.userId) };
      const entryId = await write(calls, headers);
      expect((await read(entryId, 0))[0]).toBe('2026-03-01T04:00:00.000Z');
      expect((await read(entryId, 1, calls, headers))[0]).toBe('2026-03-01T00:30:00.000-03:30');
      expect((await read(entryId, 1, calls))[0]).toBe('2026-03-01T13:00:00.000+09:00');
    });
  });
});
