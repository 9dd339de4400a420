import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { EntryTypeStatistics, EntryTypeVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { SCHEMA, setUpSchemaSite } from '../../testing/entries/schema-fixture.ts';
import { makePerson, onEachApp } from '../../testing/site.ts';

const listErrorPaths = ({ body }: { body: ErrorBody }) => body.errors?.map(({ path }) => path);

onEachApp((context) => {
  const { siteId, api, makeType, addField, change, addEntry } = setUpSchemaSite(context);

  describe('entry types', () => {
    test('creates a type with its key field, reads it by number or name, and updates it', async () => {
      const type = await makeType();
      expect(type).toMatchObject({
        apiName: 'Company',
        name: 'Company',
        entryListId: -5,
        entryCount: 0,
        icon: 'table',
      });
      expect((await api().get(`${SCHEMA}/entrytypes/${type.id}`)).body).toEqual(type);
      expect((await api().get(`${SCHEMA}/entrytypes/COMPANY`)).body).toEqual(type);
      const { body: fields } = await api().get<FieldVm[]>(`${SCHEMA}/entrytypes/company/fields`);
      expect(fields).toMatchObject([{ apiName: 'Name', fieldType: 1, isKey: true, isRequired: true }]);
      const changed = await api().put(`${SCHEMA}/entrytypes/Company`, {
        apiName: 'Firm',
        pluralName: ' Firms ',
        icon: 'building',
      });
      expect(changed.body).toEqual({ ...type, apiName: 'Firm', pluralName: 'Firms', icon: 'building' });
      expect((await api().get(`${SCHEMA}/entrytypes`)).body).toEqual([changed.body]);
      expect((await api().get(`${SCHEMA}/entrytypes/Company`)).status).toBe(404);
      const refused = await api().put<ErrorBody>(`${SCHEMA}/entrytypes/Firm`, { icon: 'rocket' });
      expect([refused.status, listErrorPaths(refused)]).toEqual([400, ['icon']]);
    });

    test('requires unique apiNames on a site, without regard to case', async () => {
      await makeType();
      const duplicateNames = { apiName: 'COMPANY', singularName: 'A', pluralName: 'B' };
      const refused = await api().post<ErrorBody>(`${SCHEMA}/entrytypes`, duplicateNames);
      expect([refused.status, listErrorPaths(refused)]).toEqual([409, ['apiName']]);
      expect((await api().put(`${SCHEMA}/entrytypes/Company`, { apiName: 'company' })).status).toBe(200);
      const invalid = await api().post<ErrorBody>(`${SCHEMA}/entrytypes`, {
        ...duplicateNames,
        singularName: ' ',
        pluralName: ' ',
      });
      expect([invalid.status, listErrorPaths(invalid)]).toEqual([
        400,
        ['singularName', 'pluralName', 'apiName'],
      ]);
    });

    test.each(['get', 'getHistoricalData', 'GETHISTORICALDATA', 'rows'])(
      'rejects the apiName %s, which is a word of a path (spec 4.4)',
      async (apiName) => {
        await makeType();
        const replies = [
          await api().post<ErrorBody>(`${SCHEMA}/entrytypes`, {
            apiName,
            singularName: 'One',
            pluralName: 'Many',
          }),
          await api().put<ErrorBody>(`${SCHEMA}/entrytypes/Company`, { apiName }),
        ];
        for (const reply of replies) {
          expect([reply.status, listErrorPaths(reply)]).toEqual([400, ['apiName']]);
          expect(reply.body.message).toContain(`must not be ${apiName}`);
        }
      },
    );

    test('rejects the deletion of a type with entries or with references to it', async () => {
      const company = await makeType();
      const deal = await makeType('Deal');
      const { body: field } = await addField(
        { apiName: 'Buyer', fieldType: 5, entryLists: [company.id] },
        'Deal',
      );
      const path = `${SCHEMA}/entrytypes/Company`;
      const referred = await api().del<ErrorBody>(path);
      expect([referred.status, referred.body.message]).toEqual([409, 'Company is referred to by Deal.Buyer']);
      await change(field.id, { entryLists: [] });
      await addEntry(company.id, {});
      expect((await api().get<EntryTypeVm>(path)).body.entryCount).toBe(1);
      const filled = await api().del<ErrorBody>(path);
      expect([filled.status, filled.body.message]).toEqual([409, 'Company has 1 entry. Delete them first.']);
      await context().db.deleteFrom('entry').where('site_id', '=', siteId()).execute();
      expect((await api().del(path)).status).toBe(204);
      expect((await api().get<EntryTypeVm[]>(`${SCHEMA}/entrytypes`)).body.map(({ id }) => id)).toEqual([
        deal.id,
      ]);
    });

    test('counts the entries of the last 30 days, and tells the last change', async () => {
      const { id } = await makeType();
      const { id: emptyId } = await makeType('Deal');
      for (let entry = 0; entry < 3; entry += 1) await addEntry(id, {});
      const { userId } = await makePerson(context().db, siteId());
      // Created 40, 2, 2 and 0 days ago; the first was deleted a day ago.
      const rows = [40, 2, 2, 0].map((daysAgo, index) => ({
        site_id: siteId(),
        entry_id: index + 1,
        type_id: id,
        created_at: sql<Date>`now() - make_interval(days => ${daysAgo}::int)`,
        any_at: sql<Date>`now() - make_interval(days => ${index === 0 ? 1 : daysAgo}::int)`,
        deleted_at: index === 0 ? sql<Date>`now() - interval '1 day'` : null,
        modified_by: index === 3 ? userId : null,
      }));
      await context().db.insertInto('entry_change').values(rows).execute();
      const path = `${SCHEMA}/entrytypestatistics`;
      const [company, deal] = (await api().get<EntryTypeStatistics[]>(path)).body;
      expect(company?.entryTypeId).toBe(id);
      expect(company?.entryCounts).toHaveLength(31);
      expect(company?.entryCounts.slice(-5)).toEqual([1, 1, 3, 2, 3]);
      expect(company?.lastChangedBy).toBe(userId);
      expect(company?.lastChangedAt).toMatch(/Z$/);
      expect(deal).toEqual({
        entryTypeId: emptyId,
        entryCounts: Array.from({ length: 31 }, () => 0),
        lastChangedAt: null,
        lastChangedBy: null,
      });
    });

    test('honours If-Match on updates and deletions', async () => {
      await makeType();
      const path = `${SCHEMA}/entrytypes/Company`;
      const stale = { headers: { 'if-match': String((await api().get(path)).headers.etag) } };
      expect((await api().put(path, { singularName: 'Firm' }, stale)).status).toBe(200);
      expect((await api().put(path, { singularName: 'Shop' }, stale)).status).toBe(412);
      expect((await api().del(path, undefined, stale)).status).toBe(412);
      const fresh = { headers: { 'if-match': String((await api().get(path)).headers.etag) } };
      expect((await api().del(path, undefined, fresh)).status).toBe(204);
    });
  });

  describe('lookups', () => {
    test('lists currencies, field types and filter operations', async () => {
      const { body: currencies } = await api().get<{ id: number; code: string }[]>(`${SCHEMA}/currencies`);
      expect(currencies).toContainEqual({ id: 3242, code: 'EUR', name: 'Euro' });
      expect(new Set(currencies.map(({ id }) => id)).size).toBe(currencies.length);
      expect((await api().get<unknown[]>(`${SCHEMA}/fieldtypes`)).body).toHaveLength(11);
      const { body: operations } = await api().get<unknown[]>(`${SCHEMA}/filteroperations`);
      expect(operations).toContainEqual({
        id: 1,
        name: 'Contains',
        rowOperator: '$contains',
        fieldTypes: [1],
      });
    });

    test('lists all members of the site, or one page of them', async () => {
      const people = await Promise.all([1, 2, 3].map(() => makePerson(context().db, siteId())));
      const { body: all } = await api().get<{ id: number }[]>(`${SCHEMA}/users`);
      expect(all).toHaveLength(4);
      const { userId: id, email } = people[0] ?? { userId: 0, email: '' };
      expect(all).toContainEqual({ id, name: 'Ada Okafor', email, entryListId: -1 });
      expect((await api().get(`${SCHEMA}/users?pageSize=3&pageNumber=2`)).body).toEqual(all.slice(3));
      expect((await api().get(`${SCHEMA}/users?pageSize=1001`)).status).toBe(400);
    });
  });
});
