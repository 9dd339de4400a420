import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { up as fillCalculatedSlots } from '../../../kernel/db/migrations/0069_calculated_slots.ts';
import {
  finishSchema,
  makeThings,
  recalculate,
  SCHEMA,
  type Things,
} from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

const listFound = async (things: Things) => ({
  half: (await things.query({ Half: { $gt: 0 } })).rows.map(({ EntryId }) => EntryId),
  empty: (await things.query({ Half: '$noData' })).rows.map(({ EntryId }) => EntryId),
  shout: (await things.query({ Shout: { $contains: 'loud' } })).rows.map(({ EntryId }) => EntryId),
});

onEachApp((context) => {
  /** A site whose type has two calculated fields that read different fields, one of them searchable. */
  async function makeCalculated(): Promise<Things> {
    const things = await makeThings(context());
    const fields = [
      { apiName: 'Half', fieldType: FIELD.number, formula: 'Score / 2' },
      { apiName: 'Shout', fieldType: FIELD.text, formula: 'Memo & "!"', isSearchable: true },
    ];
    for (const field of fields)
      expect(
        (await things.api.post(`${SCHEMA}/entrytypes/Thing/fields`, { name: field.apiName, ...field }))
          .status,
      ).toBe(200);
    await finishSchema(context().db);
    return things;
  }

  test('entries calculated together are found by calculated values that did not change', async () => {
    const things = await makeCalculated();
    const [first = 0, second = 0] = await things.create(
      { Name: 'First', Score: 10, Memo: 'loud' },
      { Name: 'Second', Score: 20, Memo: 'loud' },
    );
    await recalculate(context().db);
    const all = { half: [first, second], empty: [], shout: [first, second] };
    expect(await listFound(things)).toEqual(all);
    const changes = [...things.items(first, { Score: 30 }), ...things.items(second, { Memo: 'louder' })];
    expect((await things.store('put', changes)).status).toBe(200);
    await recalculate(context().db);
    expect(await listFound(things)).toEqual(all);
  });

  test('a migration finds again what earlier versions lost', async () => {
    const things = await makeCalculated();
    const ids = await things.create(
      { Name: 'First', Score: 10, Memo: 'loud' },
      { Name: 'Second', Score: 20, Memo: 'loud' },
    );
    await recalculate(context().db);
    const { slot } = await context()
      .db.selectFrom('field')
      .select('slot')
      .where('site_id', '=', things.siteId)
      .where('api_name', '=', 'Half')
      .executeTakeFirstOrThrow();
    await sql`update entry set ${sql.ref(slot ?? '')} = null where site_id = ${things.siteId}`.execute(
      context().db,
    );
    await context().db.deleteFrom('entry_text').where('site_id', '=', things.siteId).execute();
    await fillCalculatedSlots(context().db.withTables<never>());
    await finishSchema(context().db);
    expect(await listFound(things)).toEqual({ half: ids, empty: [], shout: ids });
  });
});
