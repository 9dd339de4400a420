import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { openAndReadBackup, restoreBackup } from '../../../cli/restore/restore-backup.ts';
import { readRecords } from '../../../cli/restore/sheets.ts';
import { insertTexts, openRestoreTarget, type RestoreTarget } from '../../../cli/restore/target.ts';
import { verifyBackup, computeSheetDigests } from '../../../cli/restore/verify-backup.ts';
import type { TableSheet } from '../../../kernel/backup-sheets.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { fillSite, makeBackup } from '../../../testing/backups.ts';
import { createTestDatabase, onEachKind } from '../../../testing/databases.ts';
import { DATA, makeEntryType, makeThings, SCHEMA, type Things } from '../../../testing/entries/entries.ts';
import { createFolderPlace } from '../../../testing/files/file-place.ts';
import { as, dataDir, makePerson, onEachApp, services } from '../../../testing/site.ts';
import { SHEETS } from '../../registry.ts';
import type { Manifest } from './manifest.ts';

const SEED = Math.floor(Math.random() * 1000);

/** Rows and hashes by member of the manifest, except those named. */
const listMembers = ({ members }: Manifest, except: readonly string[] = []) =>
  Object.fromEntries(
    members
      .filter(({ name, kind }) => kind !== 'file' && !except.includes(name))
      .map(({ name, rows, sha256 }) => [name, { rows, sha256 }]),
  );

/** Digests of data derived from values: slots, references, search texts and list blocks. */
async function computeDerivedDigests(db: Db, siteId: number): Promise<unknown> {
  const digestTable = (table: string, more = sql``) =>
    sql`(select md5(string_agg(t, ';' order by t collate "C")) from (
      select (to_jsonb(t) - 'site_id')::text as t from ${sql.table(table)} as t where site_id = ${siteId} ${more}) as r)`;
  const { rows } = await sql`
    select ${digestTable('entry')} as entry, ${digestTable('entry_multi')} as multi, ${digestTable('entry_text')} as texts,
      ${digestTable('field')} as fields, ${digestTable('list_block', sql`and n <> 0`)} as blocks,
      ${digestTable('entry_block', sql`and n <> 0`)} as "entryBlocks"`.execute(db);
  return rows[0];
}

/** Statement whether the next id of a column is after all that there are. */
const isFree = (table: string, column: string, from = table) => sql`
  select nextval(pg_get_serial_sequence(${table}, ${column})) > max(${sql.ref(column)}) as "isFree"
  from ${sql.table(from)}`;

/** Adds a template of reports. */
async function addTemplate(
  db: Db,
  { siteId, typeId }: Pick<Things, 'siteId' | 'typeId'>,
  userId: number,
): Promise<void> {
  await sql`
    with template as (insert into report_template (site_id, name, type_id, version, modified_by)
      values (${siteId}, 'Profile', ${typeId}, 1, ${userId}) returning site_id, template_id, type_id, version)
    insert into report_template_version (site_id, template_id, version, type_id, format, file_name, size, byte_count, sha256, content,
      texts, created_by)
    select site_id, template_id, version, type_id, 'docx', 'Profile.docx', 1, 1, '\\x00', '\\x00', '{}', ${userId} from template`.execute(
    db,
  );
}

onEachApp((context) => {
  let things: Things;
  let path = '';
  beforeAll(async () => {
    things = await makeThings(context());
    await fillSite(context(), things, SEED);
    await addTemplate(context().db, things, things.person.userId);
    ({ path } = await makeBackup(context().db, things.api, { includeFiles: true }));
  });

  test('a restore beside the original reuses accounts, and assigns new ids that are unique per installation', async () => {
    const { db } = context();
    const file = await openAndReadBackup(path);
    const target: RestoreTarget = { db, write: insertTexts, close: async () => {} };
    const options = { ...services, slug: 'beside' };
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
    // Groups and invitations have other ids here, the settings another slug, and this is nobody's home site.
    const other = ['settings.csv', 'users.csv', 'groups.csv', 'groups/members.csv', 'invitations.csv'];
    const digests = [...(await computeSheetDigests(db, siteId))].filter(([name]) => !other.includes(name));
    expect(Object.fromEntries(digests)).toEqual(listMembers(file.manifest, other));
    const listZones = (site: number) =>
      db
        .selectFrom('membership')
        .select(['user_id', 'time_zone'])
        .where('site_id', '=', site)
        .orderBy('user_id')
        .execute();
    const zones = await listZones(siteId);
    expect(zones).toEqual(await listZones(things.siteId));
    expect(zones.map((row) => row.time_zone)).toContain('America/St_Johns');
    const groups = await db.selectFrom('user_group').select('name').where('site_id', '=', siteId).execute();
    expect(groups.length).toBe(report.groups);
    const secondRestore = restoreBackup(target, file, options);
    await expect(secondRestore).rejects.toThrow('The site beside is not empty');
    file.close();
  });

  onEachKind((kind) => {
    test(`a restore on another installation equals the original sheet by sheet (seed ${SEED})`, async () => {
      const place = await createTestDatabase(kind);
      const file = await openAndReadBackup(path);
      const target: RestoreTarget = await openRestoreTarget(place);
      try {
        const { slug } = file.manifest.site;
        const other = { slug: 'other', name: 'Other', dedicated_domain: null };
        const { site_id: foreignHomeSiteId } = await target.db
          .insertInto('site')
          .values(other)
          .returning('site_id')
          .executeTakeFirstOrThrow();
        const options = {
          ...createFolderPlace(place.dataDir),
          slug,
          verification: { foreignHomeSiteId },
        };
        const report = await restoreBackup(target, file, options);
        expect(report).toMatchObject({ members: 3, openInvitations: 1, accounts: { found: 0, made: 5 } });
        const restored = await target.db
          .selectFrom('site')
          .select('site_id')
          .where('slug', '=', slug)
          .executeTakeFirstOrThrow();
        expect(Object.fromEntries(await computeSheetDigests(target.db, restored.site_id))).toEqual(
          listMembers(file.manifest),
        );
        expect(await computeDerivedDigests(target.db, restored.site_id)).toEqual(
          await computeDerivedDigests(context().db, things.siteId),
        );
        // The next ids follow those of the backup.
        for (const next of [
          isFree('entry', 'entry_id', 'entry_change'),
          isFree('report_template', 'template_id'),
        ])
          expect((await next.execute(target.db)).rows).toEqual([{ isFree: true }]);
      } finally {
        file.close();
        await target.close();
        await place.remove();
      }
    });
  });

  test('ids that are taken on another installation are replaced by none that the backup keeps', async () => {
    const place = await createTestDatabase('embedded');
    const file = await openAndReadBackup(path);
    const target = await openRestoreTarget(place);
    try {
      const { db } = target;
      const { site_id: siteId } = await db
        .insertInto('site')
        .values({ slug: 'other', name: 'Other', dedicated_domain: null })
        .returning('site_id')
        .executeTakeFirstOrThrow();
      const listIds = async (sheet: TableSheet, column: string) =>
        (await Array.fromAsync(readRecords(file, sheet))).flat().map((row) => Number(row[column]));
      const userIds = await listIds(SHEETS.members, 'user_id');
      const groupIds = await listIds(SHEETS.groups, 'group_id');
      await sql`insert into account (user_id, email, email_key, first_name, last_name, home_site_id) overriding system value
        values (${Math.min(...userIds)}, 'a@other.example', 'a@other.example', 'A', 'B', ${siteId})`.execute(
        db,
      );
      await sql`insert into user_group (group_id, site_id, name, capabilities) overriding system value
        values (${Math.min(...groupIds)}, ${siteId}, 'Others', '{}')`.execute(db);
      // The next id of each is that of another row of the backup.
      await sql`select setval(pg_get_serial_sequence('account', 'user_id'), ${Math.max(...userIds)}::bigint, false),
        setval(pg_get_serial_sequence('user_group', 'group_id'), ${Math.max(...groupIds)}::bigint, false)`.execute(
        db,
      );
      const options = { ...createFolderPlace(place.dataDir), slug: file.manifest.site.slug };
      expect(await restoreBackup(target, file, options)).toMatchObject({
        members: userIds.length,
        groups: groupIds.length,
        accounts: { found: 0 },
      });
    } finally {
      file.close();
      await target.close();
      await place.remove();
    }
  });

  test('passes the verification in a temporary database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-check-'));
    const file = await openAndReadBackup(path);
    await verifyBackup(file, folder);
    file.close();
    await rm(folder, { recursive: true });
    expect(dataDir).not.toBe(folder);
  });

  test('keeps who left and is named by a report template, a view of no type or entries of a deleted type only', async () => {
    const { db, app } = context();
    const { api, siteId, typeId } = await makeThings(context());
    const [designer, reader, writer] = [
      await makePerson(db, siteId),
      await makePerson(db, siteId),
      await makePerson(db, siteId),
    ];
    await addTemplate(db, { siteId, typeId }, designer.userId);
    await sql`insert into saved_view (site_id, owner_id, table_name, name, is_shared, search, query, sort, columns)
      values (${siteId}, ${reader.userId}, 'users', 'All', true, '', '', '', '{}')`.execute(db);
    const deletedType = await makeEntryType(api, 'Gone', {});
    const { body: fields } = await api.get<{ id: number }[]>(`${SCHEMA}/entrytypes/Gone/fields`);
    const written = await as(app, writer).post<{ entryId: number }[]>(`${DATA}/entrydata/Gone`, {
      storeRequests: [{ entryId: -1, fieldId: fields[0]?.id, value: 'Old' }],
    });
    expect(written.status).toBe(200);
    await as(app, writer).del(`${DATA}/entrydata/Gone`, [written.body[0]?.entryId]);
    expect((await api.del(`${SCHEMA}/entrytypes/${deletedType.id}`)).status).toBe(204);
    for (const { userId } of [designer, reader, writer])
      expect((await api.del(`user/${userId}`)).status).toBe(200);
    const file = await openAndReadBackup((await makeBackup(db, api)).path);
    const folder = await mkdtemp(join(tmpdir(), 'steward-check-'));
    await verifyBackup(file, folder);
    expect(listMembers(file.manifest)['users/former.csv']?.rows).toBe(3);
    file.close();
    await rm(folder, { recursive: true });
  });

  // Runs last, because it creates a type on the site.
  test('a backup of some types drops references to others and counts them', async () => {
    const { db } = context();
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
    const { path: partialPath } = await makeBackup(db, api, { apiNames: ['deal'] });
    const file = await openAndReadBackup(partialPath);
    const target: RestoreTarget = { db, write: insertTexts, close: async () => {} };
    const report = await restoreBackup(target, file, { ...services, slug: 'some' });
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
