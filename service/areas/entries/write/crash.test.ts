import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { openDatabase, type Db } from '../../../kernel/db/database.ts';
import { createTestDatabase, onEachKind } from '../../../testing/databases.ts';
import { makeEntryType, SCHEMA } from '../../../testing/entries/entries.ts';
import type { WriterTask } from '../../../testing/processes/entry-writer-process.ts';
import { getKillCount, startKills } from '../../../testing/processes/kills.ts';
import { startWriter } from '../../../testing/processes/writer-process.ts';
import { as, makePerson, makeSite, createTestApp } from '../../../testing/site.ts';

const WRITER = fileURLToPath(new URL('../../../testing/processes/entry-writer-process.ts', import.meta.url));
const SHARE = { embedded: 1, postgres: 1 };
const ENTRIES = 2_000;
const FIELDS = 5;

/** Creates 2,000 entries of a type with five empty text fields, and a person who may write them. */
async function prepare(place: Parameters<typeof openDatabase>[0]): Promise<WriterTask> {
  const database = await openDatabase(place);
  const app = await createTestApp(database);
  const person = await makePerson(database.db, await makeSite(database.db));
  const api = as(app, person);
  const text = { fieldType: FIELD.text };
  const searchable = { ...text, isSearchable: true };
  const type = await makeEntryType(api, 'Thing', { A: searchable, B: text, C: text, D: text, E: text });
  const { body: fields } = await api.get<{ id: number; isKey: boolean }[]>(
    `${SCHEMA}/entrytypes/Thing/fields`,
  );
  const name = fields.find(({ isKey }) => isKey)?.id;
  const storeRequests = Array.from({ length: ENTRIES }, (_, at) => ({
    entryId: -1 - at,
    fieldId: name,
    value: `Entry ${at}`,
  }));
  const created = await api.post<{ entryId: number }[]>('/api/rest/v4/data/entrydata/Thing', {
    storeRequests,
  });
  await app.close();
  await database.close();
  return {
    token: person.token,
    typeId: type.id,
    entryIds: created.body.map(({ entryId }) => entryId),
    fieldIds: fields.filter(({ isKey }) => !isKey).map(({ id }) => id),
    from: 1,
  };
}

/** Distinct values in cells, slots and the search table, and the numbers of log and audit rows. */
async function readState(db: Db, { fieldIds, typeId }: WriterTask): Promise<Record<string, unknown>> {
  const values = sql`select distinct value from entry, jsonb_each_text(vals)
    where type_id = ${typeId} and key = any(${fieldIds.map(String)})`;
  const { rows } = await sql<Record<string, unknown>>`
    select (select array_agg(value) from (${values}) as v) as cells,
      (select array_agg(distinct v) from entry_text where field_id = ${fieldIds[0]}) as searched,
      (select array_agg(distinct slot) from entry, unnest(array[t1, t2, t3, t4, t5]) as slot) as slots,
      (select array_agg(distinct n) from (select count(*)::int as n from cell_log group by entry_id, field_id) as l) as logged,
      (select count(*)::int from cell_log) as log`.execute(db);
  const { rows: audited } = await sql<{ n: number }>`
    select count(*)::int as n from audit_log where action = 'entry.update'`.execute(db);
  return { ...rows[0], audited: audited[0]?.n };
}

onEachKind((kind) => {
  const kills = getKillCount(kind, SHARE);
  test(
    'a process killed while it writes 10,000 cells has stored all of them or none',
    async () => {
      const place = await createTestDatabase(kind);
      const task = await prepare(place);
      const { random, report } = startKills('large writes of entries', kind);
      let writes = 0;
      for (let kill = 0; kill < kills; kill += 1) {
        const writer = await startWriter(place, WRITER, task);
        await sleep(100 + random.next() * 700);
        const acknowledged = (await writer.kill()).at(-1) ?? 0;
        const { db, close } = await openDatabase(place);
        const state = await readState(db, task);
        await close();
        const round = Number(state.audited);
        expect([acknowledged, acknowledged + 1]).toContain(round);
        expect(state).toEqual({
          cells: [`Round ${round}`],
          searched: [`round ${round}`],
          slots: [`round ${round}`],
          logged: [round],
          log: round * ENTRIES * FIELDS,
          audited: round,
        });
        writes = round;
        task.from = round + 1;
      }
      // Each comparison has found every acknowledged write.
      report({ kills, writes, lost: 0 });
      await place.remove();
    },
    60_000 + kills * 10_000,
  );
});
