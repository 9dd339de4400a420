import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { FIELD } from '../../../contract/rules/fields.ts';
import { checkBackup, digestsOf } from '../../cli/restore/check.ts';
import { openWhole, restoreBackup } from '../../cli/restore/run.ts';
import { insertTexts, openTarget, type Target } from '../../cli/restore/target.ts';
import type { Db } from '../../kernel/db/database.ts';
import { newPlace, onEachKind } from '../../testing/databases.ts';
import { fillSite, makeBackup } from '../../testing/backups.ts';
import { DATA, makeEntryType, makeThings, SCHEMA, type Things } from '../../testing/entries.ts';
import { dataDir, onEachApp } from '../../testing/site.ts';
import type { Manifest } from './manifest.ts';

const SEED = Math.floor(Math.random() * 1000);

/** The same as the manifest tells, but for `except`. */
const told = ({ members }: Manifest, except: readonly string[] = []) =>
  Object.fromEntries(
    members
      .filter(({ name, kind }) => kind !== 'file' && !except.includes(name))
      .map(({ name, rows, sha256 }) => [name, { rows, sha256 }]),
  );

/** What follows from values: columns of entries, their references, what is searched, and where pages begin. */
async function derivedOf(db: Db, siteId: number): Promise<unknown> {
  const of = (table: string, more = sql``) =>
    sql`(select md5(string_agg(t, ';' order by t collate "C")) from (
      select (to_jsonb(t) - 'site_id')::text as t from ${sql.table(table)} as t where site_id = ${siteId} ${more}) as r)`;
  const { rows } = await sql`
    select ${of('entry')} as entry, ${of('entry_multi')} as multi, ${of('entry_text')} as texts,
      ${of('field')} as fields, ${of('list_block', sql`and n <> 0`)} as blocks`.execute(db);
  return rows[0];
}

onEachApp((house) => {
  let things: Things;
  let path = '';
  beforeAll(async () => {
    things = await makeThings(house());
    await fillSite(house(), things, SEED);
    ({ path } = await makeBackup(house().db, things.api, { includeFiles: true }));
  });

  test('restored beside the original, people are the same ones, and what has an id of the whole installation gets another', async () => {
    const { db } = house();
    const file = await openWhole(path);
    const target: Target = { db, write: insertTexts, close: async () => {} };
    const options = { dataDir, slug: 'beside' };
    expect(await restoreBackup(target, file, { ...options, isDryRun: true })).toMatchObject({
      isDryRun: true,
    });
    expect(await db.selectFrom('site').select('slug').where('slug', '=', 'beside').execute()).toEqual([]);
    const report = await restoreBackup(target, file, options);
    expect(report).toMatchObject({ accounts: { found: 5, made: 0 }, files: { restored: 3, missing: 0 } });
    const { site_id: siteId } = await db
      .selectFrom('site')
      .select('site_id')
      .where('slug', '=', 'beside')
      .executeTakeFirstOrThrow();
    // Groups and invitations have other ids here, settings another slug, and nobody is at home on this site.
    const other = ['settings.csv', 'users.csv', 'groups.csv', 'groups/members.csv', 'invitations.csv'];
    const digests = [...(await digestsOf(db, siteId))].filter(([name]) => !other.includes(name));
    expect(Object.fromEntries(digests)).toEqual(told(file.manifest, other));
    const groups = await db.selectFrom('user_group').select('name').where('site_id', '=', siteId).execute();
    expect(groups.length).toBe(report.groups);
    const again = restoreBackup(target, file, options);
    await expect(again).rejects.toThrow('The site beside is not empty');
    file.close();
  });

  onEachKind((kind) => {
    test(`restored to another installation the site is the same, sheet by sheet (seed ${SEED})`, async () => {
      const place = await newPlace(kind);
      const file = await openWhole(path);
      const target: Target = await openTarget(place);
      try {
        const { slug } = file.manifest.site;
        const other = { slug: 'other', name: 'Other', dedicated_domain: null };
        const { site_id: homeOfStrangers } = await target.db
          .insertInto('site')
          .values(other)
          .returning('site_id')
          .executeTakeFirstOrThrow();
        const options = { dataDir: place.dataDir, slug, check: { homeOfStrangers } };
        const report = await restoreBackup(target, file, options);
        expect(report).toMatchObject({ members: 3, openInvitations: 1, accounts: { found: 0, made: 5 } });
        const restored = await target.db
          .selectFrom('site')
          .select('site_id')
          .where('slug', '=', slug)
          .executeTakeFirstOrThrow();
        expect(Object.fromEntries(await digestsOf(target.db, restored.site_id))).toEqual(told(file.manifest));
        expect(await derivedOf(target.db, restored.site_id)).toEqual(
          await derivedOf(house().db, things.siteId),
        );
      } finally {
        file.close();
        await target.close();
        await place.remove();
      }
    });
  });

  test('checked elsewhere it passes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-check-'));
    const file = await openWhole(path);
    await checkBackup(file, folder);
    file.close();
    await rm(folder, { recursive: true });
    expect(dataDir).not.toBe(folder);
  });

  // Last: it makes a type on the site.
  test('of some types: references to others are left out, and their number told', async () => {
    const { db } = house();
    const { api } = things;
    const type = await makeEntryType(api, 'Deal', {
      About: { fieldType: FIELD.reference, entryLists: [things.typeId] },
      Also: { fieldType: FIELD.reference, isMultiSelect: true },
    });
    const { body: fields } = await api.get<{ id: number; apiName: string }[]>(
      `${SCHEMA}/entrytypes/Deal/fields`,
    );
    const [thing] = await things.create({ Name: 'Thing of a deal' });
    const store = async (entryId: number, values: Record<string, unknown>) => {
      const storeRequests = fields.flatMap(({ id, apiName }) =>
        apiName in values ? [{ entryId, fieldId: id, value: values[apiName] }] : [],
      );
      const verb = entryId < 0 ? 'post' : 'put';
      const { body } = await api[verb]<{ entryId: number }[]>(`${DATA}/entrydata/${type.id}`, {
        storeRequests,
      });
      return body[0]?.entryId ?? 0;
    };
    const first = await store(-1, { Name: 'First', About: thing });
    const second = await store(-1, { Name: 'Second', Also: [thing, first] });
    const { path: some } = await makeBackup(db, api, { apiNames: ['deal'] });
    const file = await openWhole(some);
    const target: Target = { db, write: insertTexts, close: async () => {} };
    const report = await restoreBackup(target, file, { dataDir, slug: 'some' });
    file.close();
    expect(report).toMatchObject({ entries: { Deal: 2 }, droppedReferences: 2 });
    const { rows } = await sql<{ id: number; vals: Record<string, unknown> }>`
      select entry_id as id, vals from entry join site using (site_id) where slug = 'some' order by entry_id`.execute(
      db,
    );
    const also = fields.find(({ apiName }) => apiName === 'Also')?.id;
    expect(rows.map(({ id, vals }) => [id, Object.keys(vals).length, vals[also ?? 0]])).toEqual([
      [first, 1, undefined],
      [second, 2, [first]],
    ]);
  });
});
