import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { SchemaImpact, SchemaUse } from '../../../contract/generated/types.gen.ts';
import { FILTER } from '../../../contract/rules/schema/fields.ts';
import { makeAgentKey } from '../../testing/agents.ts';
import { sendForm } from '../../testing/calls.ts';
import { makeThings, SCHEMA, type Things } from '../../testing/entries/entries.ts';
import { makeDocx, paragraph } from '../../testing/files/documents.ts';
import { as, makePerson, onEachApp } from '../../testing/site.ts';

const VIEW = {
  search: '',
  query: '',
  sort: '',
  columns: { order: [], hidden: [], widths: {}, frozen: 1 },
};

const summarize = (uses: readonly SchemaUse[]) =>
  uses.map(({ kind, name, breaks }) => `${kind} ${name ?? '-'}${breaks ? ' breaks' : ''}`);

onEachApp((context) => {
  /** Adds a use of the field Score, or of the type, from every other area. */
  async function makeUses(things: Things, owner: Awaited<ReturnType<typeof makePerson>>): Promise<void> {
    const { db, app } = context();
    const { api, typeId } = things;
    const views = `${SCHEMA}/entrytypes/${typeId}/views`;
    await api.post(views, { ...VIEW, name: 'High', isShared: false, query: '{"score": {"$gt": 3}}' });
    await api.post(views, { ...VIEW, name: 'By note', isShared: true, sort: '-Note' });
    // Not a filter that can be read, but it names the field.
    await as(app, owner).post(views, { ...VIEW, name: 'Private', isShared: false, query: '{score' });
    await api.post('/api/rest/v1/publication/topicdefinitions', {
      name: 'scores',
      format: 'Rows',
      entryTypes: [{ entryTypeId: typeId, fieldIds: [things.field('Score').id] }],
    });
    await makeAgentKey(context(), things.person, { name: 'Analyst' });
    await sql`insert into ri_setting (site_id, contact_entry_type_id, contact_email_field_id)
      values (${things.siteId}, ${typeId}, ${things.field('Score').id})`.execute(db);
    const content = await makeDocx(paragraph('{Name} {Parent.Score | number: 2}'));
    const { status } = await sendForm(app, {
      url: '/api/rest/v4/templatereports',
      token: things.person.token,
      model: { name: 'Profile', entryTypeId: typeId },
      files: [{ part: 'file', name: 'Profile.docx', content }],
    });
    expect(status).toBe(200);
  }

  test('lists what uses a field or a type, and what a deletion or another name breaks', async () => {
    const things = await makeThings(context());
    const editor = await makePerson(context().db, things.siteId, {
      capabilities: ['Access Web Service', 'Manage Schema', 'Read Data'],
    });
    await makeUses(things, editor);
    const read = async (change: object, api = things.api) =>
      (await api.post<SchemaImpact>(`${SCHEMA}/impact`, { entryTypeId: things.typeId, ...change })).body;
    const fieldId = things.field('Score').id;
    const deletion = await read({ fieldId });
    expect(summarize(deletion.uses)).toEqual([
      'formula Twice breaks',
      'view High breaks',
      'import - breaks',
      'reportTemplate Profile breaks',
      'topic scores breaks',
      'agentKey Analyst',
    ]);
    expect(deletion.privateViews).toBe(1);
    const renamed = await read({ fieldId, field: { apiName: 'Points' } });
    expect(summarize(renamed.uses)).toEqual([
      'formula Twice',
      'view High breaks',
      'import -',
      'reportTemplate Profile breaks',
      'topic scores breaks',
      'agentKey Analyst',
    ]);
    const changed = await read({ fieldId, field: { name: 'Points' } });
    expect(changed.uses.some(({ breaks }) => breaks)).toBe(false);
    expect(summarize((await read({ fieldId: things.field('Stage').id })).uses)).toContain(
      'condition Reason breaks',
    );
    expect(summarize((await read({ entryType: { pluralName: 'Items' } })).uses)).toEqual([
      'view By note',
      'view High',
      'import -',
      'reportTemplate Profile',
      'topic scores',
      'agentKey Analyst',
    ]);
    // The editor may list neither templates nor topics nor keys of others.
    const hidden = await read({ fieldId }, as(context().app, editor));
    expect(summarize(hidden.uses)).toEqual([
      'formula Twice breaks',
      'view Private breaks',
      'import - breaks',
      'reportTemplate - breaks',
      'topic - breaks',
      'agentKey -',
    ]);
    expect(hidden.privateViews).toBe(1);
    const status = async (change: object) =>
      (await things.api.post(`${SCHEMA}/impact`, { entryTypeId: things.typeId, ...change })).status;
    expect(await status({ fieldId: 2147483647 })).toBe(404);
    expect(await status({ entryTypeId: 2147483647 })).toBe(404);
  });

  test('counts values, and entries that would not satisfy the changed field', async () => {
    const things = await makeThings(context());
    const choice = (name: string) => things.choice('Stage', name);
    const [target = 0] = await things.create({ Name: 'Target', Score: 1, Stage: choice('Won') });
    await things.create({ Name: 'Won', Stage: choice('Won'), Parent: target }, { Name: 'None', Score: 2 });
    const read = async (name: string, field?: object) => {
      const body = { entryTypeId: things.typeId, fieldId: things.field(name).id, ...(field && { field }) };
      const impact = (await things.api.post<SchemaImpact>(`${SCHEMA}/impact`, body)).body;
      return [impact.filledEntries.count, impact.invalidEntries.map(({ reason, count }) => [reason, count])];
    };
    expect(await read('Score')).toEqual([2, []]);
    expect(await read('Score', { isRequired: true })).toEqual([2, [['missing', 1]]]);
    const isWon = { fieldId: things.field('Stage').id, operation: FILTER.equals, value: choice('Won') };
    const requiredWhen = { match: 'all', conditions: [isWon] };
    expect(await read('Score', { requiredWhen })).toEqual([2, [['missing', 1]]]);
    expect(await read('Note', { requiredWhen })).toEqual([0, [['missing', 2]]]);
    const kept = [{ id: choice('Open'), name: 'Open' }];
    expect(await read('Stage', { choiceValues: kept })).toEqual([2, [['choice', 2]]]);
    const other = (
      await things.api.post<{ id: number }>(`${SCHEMA}/entrytypes`, {
        apiName: 'Other',
        singularName: 'Other',
        pluralName: 'Others',
      })
    ).body;
    expect(await read('Parent', { entryLists: [other.id] })).toEqual([1, [['reference', 1]]]);
    expect(await read('Parent', { entryLists: [other.id, things.typeId] })).toEqual([1, []]);
  });
});
