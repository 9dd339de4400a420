import { beforeEach, expect, test } from 'vitest';
import type { SiteSettings } from '../../../contract/generated/types.gen.ts';
import type { Refusal } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';

const PATH = '/api/rest/v1/management/settings';

onEachApp((house) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(house().db, await makeSite(house().db), {});
  });
  const api = () => as(house().app, person, 'program');

  test('changes what is given and keeps the rest', async () => {
    const before = (await api().get<SiteSettings>(PATH)).body;
    const { status, body } = await api().put<SiteSettings>(PATH, { timeZone: 'pacific/kiritimati' });
    expect([status, body]).toEqual([200, { ...before, timeZone: 'Pacific/Kiritimati' }]);
    const named = await api().put<SiteSettings>(PATH, { name: ' Østre ' });
    expect(named.body).toMatchObject({ name: 'Østre', timeZone: 'Pacific/Kiritimati' });
    const audits = await house()
      .db.selectFrom('audit_log')
      .select('changes')
      .where('site_id', '=', person.siteId)
      .where('action', '=', 'site.update')
      .orderBy('audit_id')
      .execute();
    expect(audits.map(({ changes }) => changes)).toEqual([
      { timeZone: ['UTC', 'Pacific/Kiritimati'] },
      { name: [before.name, 'Østre'] },
    ]);
  });

  test('refuses what is no zone, an empty name, and what is not for it to set', async () => {
    for (const [body, path] of [
      [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
      [{ name: '   ' }, 'name'],
      [{ dedicatedDomain: 'mine.example' }, 'dedicatedDomain'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const refused = await api().put<Refusal>(PATH, body);
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, path]);
    }
  });

  test('settings that changed meanwhile are not written over', async () => {
    const { headers } = await api().get(PATH);
    await api().put(PATH, { name: 'First' });
    const stale = await api().put<Refusal>(
      PATH,
      { name: 'Second' },
      { headers: { 'if-match': String(headers['etag']) } },
    );
    expect(stale.status).toBe(412);
  });
});
