import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { SiteSettings } from '../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { untilSomebodyWaits } from '../../testing/databases.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings';

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(context().db, await makeSite(context().db), {});
  });
  const api = () => as(context().app, person, 'program');

  test('updates the given settings and keeps the others', async () => {
    const before = (await api().get<SiteSettings>(PATH)).body;
    const { status, body } = await api().put<SiteSettings>(PATH, { timeZone: 'pacific/kiritimati' });
    expect([status, body]).toEqual([200, { ...before, timeZone: 'Pacific/Kiritimati' }]);
    const named = await api().put<SiteSettings>(PATH, { name: ' Østre ' });
    expect(named.body).toMatchObject({ name: 'Østre', timeZone: 'Pacific/Kiritimati' });
    const open = await api().put<SiteSettings>(PATH, { requiresActingReason: false });
    expect([named.body.requiresActingReason, open.body.requiresActingReason]).toEqual([true, false]);
    expect(open.headers['etag']).not.toBe(named.headers['etag']);
    const audits = await context()
      .db.selectFrom('audit_log')
      .select('changes')
      .where('site_id', '=', person.siteId)
      .where('action', '=', 'site.update')
      .orderBy('audit_id')
      .execute();
    expect(audits.map(({ changes }) => changes)).toEqual([
      { timeZone: ['UTC', 'Pacific/Kiritimati'] },
      { name: [before.name, 'Østre'] },
      { requiresActingReason: [true, false] },
    ]);
  });

  test('rejects an unknown time zone, an empty name and fields of the platform administration', async () => {
    for (const [body, path] of [
      [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
      [{ name: '   ' }, 'name'],
      [{ dedicatedDomain: 'mine.example' }, 'dedicatedDomain'],
    ] as const) {
      // Sequential requests.
      const refused = await api().put<ErrorBody>(PATH, body);
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, path]);
    }
  });

  test('rejects an update with a stale entity tag', async () => {
    const { headers } = await api().get(PATH);
    await api().put(PATH, { name: 'First' });
    const stale = await api().put<ErrorBody>(
      PATH,
      { name: 'Second' },
      { headers: { 'if-match': String(headers['etag']) } },
    );
    expect(stale.status).toBe(412);
  });

  test('never answers settings with the entity tag of later ones', async () => {
    const { db } = context();
    const read = await db.transaction().execute(async (tx) => {
      await sql`lock table site_storage in access exclusive mode`.execute(tx);
      const reading = api().get<SiteSettings>(PATH);
      await untilSomebodyWaits(db);
      await sql`update site set name = 'Later' where site_id = ${person.siteId}`.execute(tx);
      return () => reading;
    });
    const { body, headers } = await read();
    const update = await api().put(PATH, body.name === 'Later' ? {} : { name: 'Mine' }, {
      headers: { 'if-match': String(headers['etag']) },
    });
    expect(update.status).toBe(body.name === 'Later' ? 200 : 412);
  });
});
