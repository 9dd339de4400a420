import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import type { FieldVm, NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { startScheduledTasks } from '../../kernel/tasks/scheduled-tasks.ts';
import { createLog } from '../../kernel/telemetry/log.ts';
import { setUpCompanies } from '../../testing/entries/company-fixture.ts';
import { finishSchema } from '../../testing/entries/entries.ts';
import { SCHEMA } from '../../testing/entries/schema-fixture.ts';
import { as, makePerson, onEachApp, createTestApp, services } from '../../testing/site.ts';
import { createFieldJobsTask } from './field-jobs.ts';
import { loadSchema } from './schema-cache.store.ts';
import { buildEntryColumns, toSearchText } from './values.ts';

/** Whether any transaction waits for the advisory lock of a schema. */
async function isAnyLockWaiting(tx: Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_locks
    where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`.execute(
    tx,
  );
  return rows.length > 0;
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

onEachApp((context) => {
  const { siteId, typeId, api, addField, fieldOf, write, inTurn, load, slotsOf } = setUpCompanies(context);

  describe('slots', () => {
    test('are ready at once in a type without entries, and are filled in batches otherwise', async () => {
      const early = await addField({ apiName: 'Early', fieldType: FIELD.number });
      expect(await fieldOf(early.id)).toMatchObject({ slot: 'n1', isSlotReady: true });
      await load(4500, () => `'{}'::jsonb`);
      const late = await addField({ apiName: 'Late', fieldType: FIELD.number });
      await sql`update entry set vals = jsonb_set('{}', array[${String(late.id)}::text], entry_id::text::jsonb) where site_id = ${siteId()}`.execute(
        context().db,
      );
      expect(await fieldOf(late.id)).toMatchObject({ slot: 'n2', isSlotReady: false });
      const { version } = await loadSchema(context().db, siteId());
      await finishSchema(context().db);
      expect(await fieldOf(late.id)).toMatchObject({ slot: 'n2', isSlotReady: true });
      expect((await loadSchema(context().db, siteId())).version).toBe(version);
      const rows = await slotsOf('n2', late.id);
      expect(rows).toHaveLength(4500);
      expect(rows.every(({ slot, value }) => slot !== null && slot === value)).toBe(true);
    });

    test('hold the comparable form of each field type', async () => {
      await load(1, () => `'{}'::jsonb`);
      const cases: [NewFieldInfo['fieldType'], unknown, unknown, Partial<NewFieldInfo>?][] = [
        [FIELD.text, 'ÄRGER Σ'.repeat(40), 'ärger σ'.repeat(29).slice(0, 200)],
        [FIELD.boolean, true, 1],
        [FIELD.date, '2026-03-01T00:00:00.001Z', 1_772_323_200_001],
        [FIELD.date, '2026-03-01', 1_772_323_200_000, { isDateOnly: true }],
        [FIELD.currency, { value: 1.5, currencyCode: 'EUR' }, 1.5],
        [FIELD.user, 7, 7],
      ];
      for (const [at, [fieldType, value, expected, more]] of cases.entries()) {
        const { id } = await addField({ apiName: `F${at}`, fieldType, ...more });
        await sql`update entry set vals = jsonb_build_object(${String(id)}::text, ${JSON.stringify(value)}::jsonb) where site_id = ${siteId()}`.execute(
          context().db,
        );
        await finishSchema(context().db);
        const slot = (await fieldOf(id))?.slot ?? '';
        expect(await slotsOf(slot, id)).toEqual([{ slot: expected, value }]);
      }
    });

    test('of a deleted field are free once its values are cleared', async () => {
      const old = await addField({ apiName: 'Old', fieldType: FIELD.choice, choiceValues: [{ name: 'A' }] });
      const many = await addField({ apiName: 'Many', fieldType: FIELD.user, isMultiSelect: true });
      const text = await addField({ apiName: 'Note', isSearchable: true });
      await inTurn((tx, type) => write(tx, type, { [old.id]: 3, [many.id]: [1, 2], [text.id]: 'A' }));
      for (const { id } of [old, many, text])
        expect((await api().del(`${SCHEMA}/fields/${id}`)).status).toBe(204);
      const next = await addField({ apiName: 'Old', fieldType: FIELD.number });
      expect(await fieldOf(next.id)).toMatchObject({ slot: 'n2' });
      await finishSchema(context().db);
      const { rows } =
        await sql`select n1, t1, vals, (select count(*)::int from entry_multi m where m.site_id = e.site_id) as multi,
        (select count(*)::int from entry_text t where t.site_id = e.site_id) as text from entry e where site_id = ${siteId()}`.execute(
          context().db,
        );
      expect(rows).toEqual([{ n1: null, t1: null, vals: {}, multi: 0, text: 0 }]);
      const third = await addField({ apiName: 'Third', fieldType: FIELD.number });
      expect(await fieldOf(third.id)).toMatchObject({ slot: 'n1' });
    });

    test('are assigned until none is left: the thirteenth number field has none', async () => {
      for (const at of range(13)) await addField({ apiName: `N${at}`, fieldType: FIELD.number });
      for (const at of range(7)) await addField({ apiName: `T${at}` });
      const { fieldsById } = await loadSchema(context().db, siteId());
      const slots = [...fieldsById.values()].map(({ slot }) => slot);
      expect(slots).toEqual([
        'name',
        ...range(12).map((at) => `n${at}`),
        null,
        ...range(6).map((at) => `t${at}`),
        null,
      ]);
    });
  });

  test('a change of the schema wakes the scheduled task', async () => {
    await load(10, () => `'{}'::jsonb`);
    const wokenTasks: string[] = [];
    const app = await createTestApp(context().database, {
      services: { ...services, wakeTask: (name) => void wokenTasks.push(name) },
    });
    const caller = as(app, await makePerson(context().db, siteId()));
    const info = { apiName: 'Late', name: 'Late', fieldType: FIELD.number };
    const { id } = (await caller.post<FieldVm>(`${SCHEMA}/entrytypes/Company/fields`, info)).body;
    await app.close();
    const task = createFieldJobsTask(context());
    expect(wokenTasks).toEqual([task.name]);
    const runningTasks = startScheduledTasks({ log: createLog('silent'), tasks: [task] });
    await vi.waitFor(async () => expect(await fieldOf(id)).toMatchObject({ isSlotReady: true }), 10_000);
    await runningTasks.stop();
  });

  test('fills entry_text when a field becomes searchable, and clears it when it no longer is', async () => {
    const note = await addField({ apiName: 'Note' });
    await load(2500, (at) => `jsonb_build_object('${note.id}', 'Tür ' || ${at})`);
    const listTexts = async () => {
      const { rows } = await sql<{
        v: string;
      }>`select v from entry_text where field_id = ${note.id} order by entry_id`.execute(context().db);
      return rows.map(({ v }) => v);
    };
    await api().put(`${SCHEMA}/fields/${note.id}`, { isSearchable: true });
    expect(await fieldOf(note.id)).toMatchObject({ isSearchable: true, isSearchReady: false });
    await finishSchema(context().db);
    expect(await fieldOf(note.id)).toMatchObject({ isSearchReady: true });
    expect(await listTexts()).toEqual(range(2500).map((at) => `tür ${at}`));
    await api().put(`${SCHEMA}/fields/${note.id}`, { isSearchable: false });
    expect((await api().put(`${SCHEMA}/fields/${note.id}`, { isSearchable: true })).status).toBe(409);
    await finishSchema(context().db);
    expect(await listTexts()).toEqual([]);
    expect((await api().put(`${SCHEMA}/fields/${note.id}`, { isSearchable: true })).status).toBe(200);
  });

  test('a new formula queues the calculation of every entry', async () => {
    await load(4001, () => `'{}'::jsonb`);
    const field = await addField({ apiName: 'Twice', fieldType: FIELD.number, formula: '1 + 1' });
    const countQueued = async () =>
      (
        await context()
          .db.selectFrom('calc_queue')
          .select('entry_id')
          .where('site_id', '=', siteId())
          .execute()
      ).length;
    expect(await countQueued()).toBe(0);
    await finishSchema(context().db);
    expect(await countQueued()).toBe(4001);
    await context().db.deleteFrom('calc_queue').where('site_id', '=', siteId()).execute();
    await api().put(`${SCHEMA}/fields/${field.id}`, { name: 'Double' });
    await finishSchema(context().db);
    expect(await countQueued()).toBe(0);
  });

  test('loses nothing while the schema changes and entries are written concurrently', async () => {
    await load(2500, () => `'{}'::jsonb`);
    const first = await addField({ apiName: 'F0', fieldType: FIELD.number, isRequired: true });
    await sql`update entry set vals = jsonb_set('{}', array[${String(first.id)}::text], entry_id::text::jsonb) where site_id = ${siteId()}`.execute(
      context().db,
    );
    const ids = (
      await context().db.selectFrom('entry').select('entry_id').where('site_id', '=', siteId()).execute()
    ).map(({ entry_id: id }) => id);
    const state = { isOver: false, written: 0 };
    // Each writes all fields of the current schema: a number into number fields, a text into all others.
    const writeEntries = async (seed: number) => {
      for (let at = seed; !state.isOver; at += 7) {
        await inTurn(async (tx, type) => {
          const vals = Object.fromEntries(
            type.fields.map((field) => [field.id, field.fieldType === FIELD.number ? at : `Text ${at}`]),
          );
          const entryId = at % 3 === 0 ? undefined : ids[at % ids.length];
          await write(tx, type, vals, entryId);
        });
        state.written += 1;
      }
    };
    const runJobs = async () => {
      while (!state.isOver) await finishSchema(context().db);
    };
    const editSchema = async () => {
      for (const at of range(6)) {
        const number = await addField({ apiName: `N${at}`, fieldType: FIELD.number });
        await addField({ apiName: `T${at}`, isSearchable: true });
        if (at % 3 === 0) await api().del(`${SCHEMA}/fields/${number.id}`);
      }
      const goal = state.written + 30;
      while (state.written < goal) await finishSchema(context().db);
      state.isOver = true;
    };
    await Promise.all([...range(4).map(writeEntries), runJobs(), editSchema()]);
    await finishSchema(context().db);
    expect(await requireConsistent()).toBe(12);
  });

  test('a field deleted during a write is cleared of the values written last', async () => {
    const { db, database } = context();
    const { id } = await addField({ apiName: 'Stage', fieldType: FIELD.number });
    await inTurn((tx, type) => write(tx, type, { [id]: 1 }));
    const state = { isDeleted: false };
    const remove = async () => {
      await api().del(`${SCHEMA}/fields/${id}`);
      state.isDeleted = true;
    };
    let deleted: Promise<void> | undefined;
    await inTurn(async (tx, type) => {
      deleted = remove();
      // The embedded database has one connection: the deletion waits until this transaction ends.
      while (database.kind === 'postgres' && !state.isDeleted && !(await isAnyLockWaiting(tx)));
      if (state.isDeleted) await finishSchema(db);
      await write(tx, type, { [id]: 2 });
    });
    await deleted;
    await finishSchema(db);
    const { rows } = await sql`select n1, vals from entry where site_id = ${siteId()}`.execute(db);
    expect(rows).toEqual([
      { n1: null, vals: {} },
      { n1: null, vals: {} },
    ]);
  });

  /**
   * Requires that slots, searched texts and values agree with the schema and with `vals`. Returns the number of fields.
   */
  async function requireConsistent(): Promise<number> {
    const { db } = context();
    const type = (await loadSchema(db, siteId())).typesById.get(typeId());
    if (!type) throw new Error('The type is missing');
    expect(type.fields.filter(({ slot, isSlotReady }) => slot && !isSlotReady)).toEqual([]);
    expect(await db.selectFrom('field_job').selectAll().where('site_id', '=', siteId()).execute()).toEqual(
      [],
    );
    const rows = await db.selectFrom('entry').selectAll().where('site_id', '=', siteId()).execute();
    expect(rows.length).toBeGreaterThan(2500);
    const knownFieldIds = new Set(type.fields.map(({ id }) => String(id)));
    const wrong = rows.filter((row) => {
      const {
        name: _name,
        name_key: _key,
        near_key: _near,
        ...slots
      } = buildEntryColumns(type, Object(row.vals));
      const cells: Record<string, unknown> = { ...row };
      return (
        Object.entries(slots).some(([slot, value]) => cells[slot] !== value) ||
        Object.keys(Object(row.vals)).some((id) => !knownFieldIds.has(id))
      );
    });
    expect(wrong).toEqual([]);
    const texts = await db
      .selectFrom('entry_text')
      .select(['field_id', 'entry_id', 'v'])
      .where('site_id', '=', siteId())
      .execute();
    const storedTexts = new Map(
      texts.map(({ field_id: field, entry_id: entry, v }) => [`${field} ${entry}`, v]),
    );
    const expected = rows.flatMap((row) =>
      type.fields.flatMap((field) => {
        const text = toSearchText(Object(row.vals)[field.id], field);
        return text === undefined ? [] : [[`${field.id} ${row.entry_id}`, text] as const];
      }),
    );
    expect(storedTexts).toEqual(new Map(expected));
    return type.fields.length;
  }
});
