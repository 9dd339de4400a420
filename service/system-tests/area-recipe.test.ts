import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
/** A small area, built as CONTRIBUTING.md says, is served, authorized, checked against the contract and backed up. */
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openBackup } from '../areas/backups/index.ts';
import { areas, registry } from '../areas/registry.ts';
import { readRecords } from '../cli/restore/sheets.ts';
import { collectHandlers } from '../handlers.ts';
import { collectAreas, defineArea } from '../kernel/area/area.ts';
import { plainColumns, textColumns } from '../kernel/backup-sheets.ts';
import type { Db } from '../kernel/db/database.ts';
import { loadContract } from '../kernel/http/contract.ts';
import type { Call } from '../kernel/http/handler.ts';
import { BACKUPS, findBackupPath, listBackups, makeQueuedBackups } from '../testing/backups.ts';
import { as, makePerson, makeSite, onEachApp } from '../testing/site.ts';

/** contract/areas/notes.yaml: one operation that reads, with scope and capability. */
const LIST_NOTES = {
  operationId: 'listNotes',
  tags: ['v4.0.0 Data'],
  summary: 'List the notes of the site',
  'x-standing': 'ours',
  'x-scope': 'data',
  'x-capability': ['Read Data'],
  responses: {
    200: {
      description: 'Notes by id.',
      content: {
        'application/json': {
          schema: {
            type: 'array',
            items: {
              type: 'object',
              required: ['id', 'text'],
              properties: { id: { type: 'integer' }, text: { type: 'string' } },
            },
          },
        },
      },
    },
    401: { $ref: '#/components/responses/Unauthorized' },
    403: { $ref: '#/components/responses/Forbidden' },
  },
};

/** service/areas/notes/area.ts */
const notesArea = defineArea({
  name: 'notes',
  tables: { note: { backup: { sheet: 'notes' } } },
  sheets: {
    notes: {
      name: 'notes.csv',
      kind: 'notes',
      from: 'note',
      keys: ['note_id'],
      columns: [...plainColumns('note_id'), ...textColumns('text')],
    },
  },
  auditActions: { note: ['note.create'] },
});
/** Its handlers: the id of the operation is not in the generated types of the real contract. */
const notesHandlers = {
  listNotes: async ({ caller, readDb }: Pick<Call, 'caller' | 'readDb'>) => ({
    status: 200,
    body: await listNotes(readDb, caller.siteId),
  }),
};

const folder = mkdtempSync(join(tmpdir(), 'steward-recipe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const document = z
  .looseObject({ paths: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8')));
document.paths['/api/rest/v4/notes'] = { get: LIST_NOTES };
const contractFile = join(folder, 'openapi.json');
writeFileSync(contractFile, JSON.stringify(document));
const contract = loadContract(pathToFileURL(contractFile));

const extended = collectAreas([...areas, { ...notesArea, handlers: notesHandlers as object }]);

async function listNotes(db: Db, siteId: number): Promise<{ id: number; text: string }[]> {
  const { rows } = await sql<{ id: number; text: string }>`
    select note_id as id, text from note where site_id = ${siteId} order by note_id`.execute(db);
  return rows;
}

const handled = (areaRegistry: typeof registry) => [
  ...Object.keys(collectHandlers(areaRegistry)),
  ...areaRegistry.ownRoutes,
];

test('an operation that no area handles is found', () => {
  const ids = contract.operations.map(({ id }): string => id);
  expect(ids.filter((id) => !handled(registry).includes(id))).toEqual(['listNotes']);
  expect(handled(extended).toSorted()).toEqual(ids.toSorted());
});

test('a table that two areas declare is refused', () => {
  expect(() =>
    collectAreas([...areas, notesArea, { ...notesArea, name: 'copy', sheets: {}, auditActions: {} }]),
  ).toThrow('Two areas declare the table "note"');
});

onEachApp(
  (context) => {
    test('the area is served, authorized and backed up', async () => {
      const { app, db } = context();
      await sql`create table note (site_id int not null, note_id int not null, text text not null,
        primary key (site_id, note_id))`.execute(db);
      const [siteId, otherSiteId] = [await makeSite(db), await makeSite(db)];
      await sql`insert into note values (${siteId}, 1, 'first'), (${otherSiteId}, 1, 'of another site')`.execute(
        db,
      );
      const reader = await makePerson(db, siteId, {
        capabilities: ['Access Web Service', 'Read Data', 'Manage Backups'],
      });
      const other = await makePerson(db, siteId, { capabilities: ['Access Web Service', 'View Activity'] });

      expect((await app.inject({ url: '/api/rest/v4/notes' })).statusCode).toBe(401);
      expect((await as(app, other).get('/api/rest/v4/notes')).status).toBe(403);
      expect(await as(app, reader).get('/api/rest/v4/notes')).toMatchObject({
        status: 200,
        body: [{ id: 1, text: 'first' }],
      });

      expect((await as(app, reader).post(`${BACKUPS}/request`, {})).status).toBe(200);
      const backupSheets = Object.values(extended.sheets);
      await makeQueuedBackups(db, { backupSheets });
      const [backup] = await listBackups(as(app, reader));
      const file = await openBackup(await findBackupPath(db, backup?.fileName ?? ''));
      const rows = (await Array.fromAsync(readRecords(file, notesArea.sheets.notes))).flat();
      file.close();
      expect(rows).toEqual([{ note_id: '1', text: 'first' }]);
    });
  },
  { contract, registry: extended },
);
