/** A type whose entries and fields are written past the API: what is to be done in the background is about them. */
import { sql } from 'kysely';
import { beforeEach, expect } from 'vitest';
import type { EntryTypeVm, FieldVm, NewFieldInfo } from '../../contract/generated/types.gen.ts';
import { FIELD } from '../../contract/rules/fields.ts';
import { holdSchema, loadSchema } from '../areas/schema/load.store.ts';
import type { EntryType } from '../areas/schema/schema.ts';
import { columnsOf, multiValues, searchedText, type Vals } from '../areas/schema/values.ts';
import type { Tx } from '../kernel/db/database.ts';
import { withTransaction } from '../kernel/db/transaction.ts';
import type { Calls } from './calls.ts';
import { SCHEMA } from './schema-writer.ts';
import { as, type House, makePerson, makeSite } from './site.ts';

/** A new type for each test, Company, on a site of its own. */
export function companyWriter(house: () => House) {
  let siteId = 0;
  let typeId = 0;
  let api: Calls | undefined;
  const calls = (): Calls => {
    if (!api) throw new Error('The site is there only inside tests');
    return api;
  };
  beforeEach(async () => {
    siteId = await makeSite(house().db);
    api = as(house().app, await makePerson(house().db, siteId));
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
  const fieldOf = async (id: number) => (await loadSchema(house().db, siteId)).fieldsById.get(id);

  /** Writes one entry as service/areas/entries does: values, name, slots, and the tables beside them. */
  async function write(tx: Tx, type: EntryType, vals: Vals, entryId?: number): Promise<number> {
    const row = { type_id: type.id, vals: JSON.stringify(vals), ...columnsOf(type, vals) };
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
      const text = searchedText(vals[field.id], field);
      if (text !== undefined)
        await tx
          .insertInto('entry_text')
          .values({ ...of, v: text })
          .onConflict((conflict) =>
            conflict.columns(['site_id', 'field_id', 'entry_id']).doUpdateSet({ v: text }),
          )
          .execute();
      for (const v of multiValues(vals[field.id], field))
        await tx
          .insertInto('entry_multi')
          .values({ ...of, v })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    }
    return id;
  }

  const inTurn = (work: (tx: Tx, type: EntryType) => Promise<unknown>) =>
    withTransaction(house().db, {}, async (tx) => {
      const type = (await holdSchema(tx, siteId)).typesById.get(typeId);
      if (type) await work(tx, type);
    });

  /** Entries by the thousand, as they were before a field was there: with a value that has no slot yet. */
  const load = (count: number, vals: (at: string) => string) =>
    sql`insert into entry (site_id, type_id, vals)
      select ${siteId}, ${typeId}, ${sql.raw(vals('g'))} from generate_series(1, ${count}::int) g`.execute(
      house().db,
    );

  const slotsOf = async (slot: string, fieldId: number) => {
    const { rows } = await sql<{ slot: unknown; value: unknown }>`
      select ${sql.ref(slot)} as slot, vals -> ${String(fieldId)} as value from entry where site_id = ${siteId} order by entry_id`.execute(
      house().db,
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
