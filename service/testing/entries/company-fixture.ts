/** An entry type whose entries are written directly to the database, for tests of field jobs. */
import { sql } from 'kysely';
import { beforeEach, expect } from 'vitest';
import type { EntryTypeVm, FieldVm, NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import { lockSchemaShared, loadSchema } from '../../areas/schema/schema-cache.store.ts';
import type { EntryType } from '../../areas/schema/schema.ts';
import {
  buildEntryColumns,
  toMultiValues,
  toSearchText,
  type StoredValues,
} from '../../areas/schema/values.ts';
import { type Tx, withTransaction } from '../../kernel/db/database.ts';
import type { ApiClient } from '../calls.ts';
import { as, type AppContext, makePerson, makeSite } from '../site.ts';
import { SCHEMA } from './schema-fixture.ts';

/** Creates the type Company on a new site for each test. */
export function setUpCompanies(context: () => AppContext) {
  let siteId = 0;
  let typeId = 0;
  let api: ApiClient | undefined;
  const calls = (): ApiClient => {
    if (!api) throw new Error('The site is there only inside tests');
    return api;
  };
  beforeEach(async () => {
    siteId = await makeSite(context().db);
    api = as(context().app, await makePerson(context().db, siteId));
    const names = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };
    typeId = (await api.post<EntryTypeVm>(`${SCHEMA}/entrytypes`, names)).body.id;
  });

  const addField = async (info: Partial<NewFieldInfo>) => {
    const made = await calls().post<FieldVm>(`${SCHEMA}/entrytypes/Company/fields`, {
      name: info.apiName,
      fieldType: FIELD.text,
      ...info,
    });
    expect(made.status).toBe(200);
    return made.body;
  };
  const fieldOf = async (id: number) => (await loadSchema(context().db, siteId)).fieldsById.get(id);

  /** Writes one entry as service/areas/entries does: values, name, slots and index rows. */
  async function write(tx: Tx, type: EntryType, vals: StoredValues, entryId?: number): Promise<number> {
    const row = { type_id: type.id, vals: JSON.stringify(vals), ...buildEntryColumns(type, vals) };
    const { entry_id: id } =
      entryId === undefined
        ? await tx
            .insertInto('entry')
            .values({ site_id: siteId, ...row })
            .returning('entry_id')
            .executeTakeFirstOrThrow()
        : await tx
            .updateTable('entry')
            .set(row)
            .where('site_id', '=', siteId)
            .where('entry_id', '=', entryId)
            .returning('entry_id')
            .executeTakeFirstOrThrow();
    for (const field of type.fields) {
      const of = { site_id: siteId, field_id: field.id, entry_id: id };
      const text = toSearchText(vals[field.id], field);
      if (text !== undefined)
        await tx
          .insertInto('entry_text')
          .values({ ...of, v: text })
          .onConflict((conflict) =>
            conflict.columns(['site_id', 'field_id', 'entry_id']).doUpdateSet({ v: text }),
          )
          .execute();
      for (const v of toMultiValues(vals[field.id], field))
        await tx
          .insertInto('entry_multi')
          .values({ ...of, v })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    }
    return id;
  }

  const inTurn = (work: (tx: Tx, type: EntryType) => Promise<unknown>) =>
    withTransaction(context().db, {}, async (tx) => {
      const type = (await lockSchemaShared(tx, siteId)).typesById.get(typeId);
      if (type) await work(tx, type);
    });

  /** Inserts many entries whose values have no slots yet, as before a field job has run. */
  const load = (count: number, vals: (at: string) => string) =>
    sql`insert into entry (site_id, type_id, vals)
      select ${siteId}, ${typeId}, ${sql.raw(vals('g'))} from generate_series(1, ${count}::int) g`.execute(
      context().db,
    );

  const slotsOf = async (slot: string, fieldId: number) => {
    const { rows } = await sql<{ slot: unknown; value: unknown }>`
      select ${sql.ref(slot)} as slot, vals -> ${String(fieldId)} as value from entry where site_id = ${siteId} order by entry_id`.execute(
      context().db,
    );
    return rows;
  };

  return {
    siteId: () => siteId,
    typeId: () => typeId,
    api: calls,
    addField,
    fieldOf,
    write,
    inTurn,
    load,
    slotsOf,
  };
}
