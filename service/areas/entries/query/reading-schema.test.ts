import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeThings } from '../../../testing/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((house) => {
  test('rows are read by the schema of their moment, whoever changed it', async () => {
    const things = await makeThings(house());
    await things.create({ Name: 'One', Note: 'kept' });
    const notes = async (name: string) =>
      (await things.query({ [name]: 'kept' }, { fields: [name] })).rows.map((row) => row[name]);
    expect(await notes('Note')).toEqual(['kept']);
    // As another process would: this one is not told.
    const rename = async (to: string) => {
      const { db } = house();
      await sql`update field set api_name = ${to} where field_id = ${things.field('Note').id}`.execute(db);
      await sql`update site set schema_stamp = gen_random_uuid() where site_id = ${things.siteId}`.execute(
        db,
      );
    };
    await rename('Remark');
    expect(await notes('Remark')).toEqual(['kept']);
    await rename('Comment');
    await expect(notes('Remark')).rejects.toThrow('400');
    expect(await notes('Comment')).toEqual(['kept']);
    await rename('Note');
    const { rows } = await things.query({});
    expect(rows.map((row) => row['Note'])).toEqual(['kept']);
  });
});
