/** What a site forbids to its agents is neither listed nor returned, and cannot be found out by filters, sorts or the history. */
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import type {
  AgentCallPage,
  AgentForbidden,
  AgentPreview,
} from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { isEmbedded } from '../../../kernel/db/database.ts';
import { callTool, makeAgentKey, readTool } from '../../../testing/agents.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { untilSomebodyWaits } from '../../../testing/databases.ts';
import { makeEntryType, makeThings, SCHEMA, type Things } from '../../../testing/entries/entries.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';

const FORBIDDEN = '/api/agent/forbidden';
/** A value that must not appear anywhere. */
const SECRET = 735_911;

interface Listed {
  entryTypes?: { apiName: string }[];
  fields?: { apiName: string; operators: string[]; isSortable: boolean }[];
  rows?: { entryId: number; values: Record<string, unknown>; withheld?: string[] }[];
  changes?: { kind: string; fields?: string[] }[];
}

onEachApp((context) => {
  let things: Things;
  let typeIds: { secretive: number };
  let [alpha, beta]: [number, number] = [0, 0];
  let secret = '';
  beforeAll(async () => {
    things = await makeThings(context());
    typeIds = { secretive: (await makeEntryType(things.api, 'Secretive', {})).id };
    const lookup = { apiName: 'Contract', name: 'Contract', fieldType: FIELD.reference };
    const path = `${SCHEMA}/entrytypes/Thing/fields`;
    await things.api.post(path, { ...lookup, entryLists: [typeIds.secretive] });
    [alpha = 0] = await things.create({ Name: 'Alpha', Score: SECRET, Note: 'plain' });
    [beta = 0] = await things.create({ Name: 'Beta', Score: 2, Parent: alpha });
    ({ secret } = await makeAgentKey(context(), things.person, { name: 'Reader' }));
  });

  const forbid = async (part: object, isForbidden = true) => {
    const client = as(context().app, things.person, 'console');
    const { status, body } = await client.put<AgentForbidden & ErrorBody>(FORBIDDEN, {
      ...part,
      isForbidden,
    });
    return { status, body };
  };
  const read = (name: string, args: object = {}): Promise<Listed> =>
    readTool(context().app, secret, name, args);
  /** The error that a call gets. */
  const refuse = async (name: string, args: object): Promise<string> => {
    const { body } = await callTool(context().app, secret, name, { entryType: 'Thing', ...args });
    expect(body.result?.['isError']).toBe(true);
    return JSON.stringify(body.result?.['content']);
  };

  test('a forbidden field, and what is calculated from it, does not reach an agent by any tool', async () => {
    const { app } = context();
    await things.update(alpha, { Score: SECRET + 1 });
    await things.update(alpha, { Note: 'changed' });
    const past = new Date().toISOString();
    await things.update(alpha, { Score: SECRET });
    const args = { entryType: 'Thing', entryId: alpha };
    // Without the ban every tool shows it.
    expect(JSON.stringify(await read('get_entry', args))).toContain(`${SECRET}`);
    const score = things.field('Score').id;
    const { status, body } = await forbid({ fieldId: score });
    expect([status, body]).toEqual([
      200,
      { entryTypeIds: [], fieldIds: [score], calculatedFieldIds: [things.field('Twice').id] },
    ]);
    const results = [
      await read('describe_fields', { entryType: 'Thing' }),
      await read('query_rows', { entryType: 'Thing' }),
      await read('query_rows', { entryType: 'Thing', fields: [] }),
      await read('get_entry', args),
      await read('rows_as_of', { entryType: 'Thing', asOf: past }),
      await read('entry_history', args),
    ];
    const shown = JSON.stringify(results);
    for (const hidden of ['Score', 'Twice', `${SECRET}`, `${SECRET + 1}`, `${2 * SECRET}`])
      expect([hidden, shown.includes(hidden)]).toEqual([hidden, false]);
    expect(results[1]?.rows).toMatchObject([
      { values: { Name: 'Alpha', Note: 'changed' } },
      { entryId: beta },
    ]);
    // Changes of nothing else are left out: they would show when it changed.
    expect(results[5]?.changes?.map(({ kind, fields }) => [kind, fields])).toEqual([
      ['changed', ['Note']],
      ['created', undefined],
    ]);
    for (const name of ['query_rows', 'count_rows', 'rows_as_of']) {
      const asOf = name === 'rows_as_of' ? { asOf: past } : {};
      for (const query of [
        { Score: SECRET },
        { score: { $gt: 1 } },
        { $or: [{ Name: 'x' }, { $and: [{ SCORE: '$notNoData' }] }] },
      ])
        expect(await refuse(name, { query, ...asOf })).toContain('Score is forbidden to agents on this site');
      expect(await refuse(name, { query: { Twice: { $gt: 3 } }, ...asOf })).toContain('Twice is forbidden');
      if (name === 'count_rows') continue;
      expect(await refuse(name, { orderBy: '-score', ...asOf })).toContain('Score is forbidden');
      expect(await refuse(name, { fields: ['Name', 'Score'], ...asOf })).toContain('Score is forbidden');
    }
    expect(await refuse('get_entry', { entryId: alpha, fields: ['Score'] })).toContain('Score is forbidden');
    const preview = await as(app, things.person, 'console').post<AgentPreview>('/api/agent/preview', {
      userId: things.person.userId,
      tool: 'get_entry',
      arguments: args,
    });
    expect([preview.body.isError, preview.body.text.includes(`${SECRET}`)]).toEqual([false, false]);
    // Calls are stored a moment after their answers.
    await vi.waitFor(
      async () => {
        const path = '/api/agent/calls?outcome=Refused&tool=get_entry&pageSize=1';
        const { body: ledger } = await things.api.get<AgentCallPage>(path);
        expect(ledger.calls).toMatchObject([{ rows: 0, fieldIds: [], entryIds: [] }]);
      },
      { timeout: 20_000 },
    );
    expect((await forbid({ fieldId: score }, false)).body.fieldIds).toEqual([]);
    expect(JSON.stringify(await read('get_entry', args))).toContain(`${SECRET}`);
    const { rows } = await sql<{ action: string; name: string }>`
      select action, subject_name as name from audit_log where site_id = ${things.siteId} and action like 'agents.%'
      order by audit_id`.execute(context().db);
    expect(rows).toEqual([
      { action: 'agents.forbid', name: 'Things, Score' },
      { action: 'agents.allow', name: 'Things, Score' },
    ]);
  });

  test('a forbidden entry type is neither listed nor read, and references to it are left out', async () => {
    const [contract = 0] = await createSecretive();
    await things.update(beta, {});
    const field = await findContractField();
    await things.api.put(`/api/rest/v4/data/entrydata/${things.typeId}`, {
      storeRequests: [{ entryId: beta, fieldId: field, value: contract }],
    });
    const query = { Contract: contract };
    expect((await read('query_rows', { entryType: 'Thing', query })).rows).toMatchObject([{ entryId: beta }]);
    await forbid({ entryTypeId: typeIds.secretive });
    const { entryTypes } = await read('list_entry_types');
    expect(entryTypes?.map(({ apiName }) => apiName)).toEqual(['Thing']);
    expect(await refuse('query_rows', { entryType: 'Secretive' })).toContain(
      'Secretives are forbidden to agents',
    );
    const { rows } = await read('query_rows', { entryType: 'Thing', query: { EntryId: beta } });
    expect(rows).toMatchObject([{ withheld: ['Contract'] }]);
    expect(JSON.stringify(rows)).not.toContain('Hidden deal');
    // A filter by the id, and an order by the names, would tell what the reference is.
    for (const args of [{ query }, { orderBy: 'Contract' }, { query: { $or: [{ contract: '$noData' }] } }])
      expect(await refuse('query_rows', args)).toContain('Contract cannot be compared or sorted by');
    const { fields } = await read('describe_fields', { entryType: 'Thing' });
    expect(fields?.find(({ apiName }) => apiName === 'Contract')).toMatchObject({
      operators: [],
      isSortable: false,
    });
    await forbid({ entryTypeId: typeIds.secretive }, false);
    expect((await read('query_rows', { entryType: 'Thing', query })).rows).toMatchObject([{ entryId: beta }]);
    // The same holds for a key that does not allow the type.
    const narrow = await makeAgentKey(context(), things.person, { entryTypeIds: [things.typeId] });
    const { text } = await callTool(context().app, narrow.secret, 'count_rows', {
      entryType: 'Thing',
      query,
    });
    expect(text).toContain('Contract cannot be compared or sorted by');
  });

  const createSecretive = async (): Promise<number[]> => {
    const { body } = await things.api.get<{ id: number; isKey: boolean }[]>(
      `${SCHEMA}/entrytypes/Secretive/fields`,
    );
    const fieldId = body.find(({ isKey }) => isKey)?.id;
    const created = await things.api.post<{ entryId: number }[]>('/api/rest/v4/data/entrydata/Secretive', {
      storeRequests: [{ entryId: -1, fieldId, value: 'Hidden deal' }],
    });
    return created.body.map(({ entryId }) => entryId);
  };
  const findContractField = async (): Promise<number> => {
    const { body } = await things.api.get<{ id: number; apiName: string }[]>(
      `${SCHEMA}/entrytypes/Thing/fields`,
    );
    return body.find(({ apiName }) => apiName === 'Contract')?.id ?? 0;
  };

  test('the name of entries can be forbidden, also where others refer to them', async () => {
    const fieldId = things.field('Name').id;
    await forbid({ fieldId });
    const { rows } = await read('query_rows', { entryType: 'Thing', query: { EntryId: beta } });
    expect(rows?.[0]?.values['Parent']).toMatchObject({ id: alpha, entryListId: things.typeId });
    expect(
      JSON.stringify([rows, await read('entry_history', { entryType: 'Thing', entryId: beta })]),
    ).not.toMatch(/Alpha|Beta/);
    expect(await refuse('query_rows', { orderBy: 'Parent' })).toContain(
      'Parent cannot be compared or sorted by',
    );
    await forbid({ fieldId }, false);
  });

  test('only what exists on the site is forbidden, by those who may, and it stays forbidden when it is deleted', async () => {
    const { app, db } = context();
    const bad = await forbid({});
    expect([bad.status, bad.body.errors?.[0]?.path]).toEqual([400, 'fieldId']);
    expect((await forbid({ fieldId: 1, entryTypeId: 1 })).status).toBe(400);
    const foreign = await makeThings(context());
    expect((await forbid({ fieldId: foreign.field('Score').id })).status).toBe(404);
    expect((await forbid({ entryTypeId: foreign.typeId })).status).toBe(404);
    const reader = await makePerson(db, things.siteId, { capabilities: ['Read Data', 'Use Agent Server'] });
    const change = { fieldId: things.field('Memo').id, isForbidden: true };
    expect((await as(app, reader, 'console').put(FORBIDDEN, change)).status).toBe(403);
    const unlicensed = await as(app, foreign.person, 'console').put<ErrorBody>(FORBIDDEN, {
      fieldId: foreign.field('Memo').id,
      isForbidden: true,
    });
    expect([unlicensed.status, unlicensed.body.message]).toEqual([
      403,
      expect.stringContaining('no license'),
    ]);
    const { status } = await things.api.post(`${SCHEMA}/entrytypes/Thing/fields`, {
      apiName: 'Brief',
      name: 'Brief',
      fieldType: FIELD.text,
    });
    expect(status).toBe(200);
    const { body: fields } = await things.api.get<{ id: number; apiName: string }[]>(
      `${SCHEMA}/entrytypes/Thing/fields`,
    );
    const brief = fields.find(({ apiName }) => apiName === 'Brief')?.id ?? 0;
    await things.api.put(`/api/rest/v4/data/entrydata/${things.typeId}`, {
      storeRequests: [{ entryId: alpha, fieldId: brief, value: 'Between us' }],
    });
    await forbid({ fieldId: brief });
    await things.api.del(`${SCHEMA}/entrytypes/Thing/fields/${brief}`);
    const history = await read('entry_history', { entryType: 'Thing', entryId: alpha });
    expect(JSON.stringify(history)).not.toMatch(/Between us|Brief/);
    expect((await forbid({ fieldId: brief }, false)).body.fieldIds).toEqual([]);
    const after = await read('entry_history', { entryType: 'Thing', entryId: alpha });
    expect(JSON.stringify(after)).toContain('Between us');
  });

  test('a running call ends when something is forbidden', async ({ skip }) => {
    const { app, db } = context();
    // The embedded database has one connection: nothing can be changed while a statement runs.
    if (isEmbedded(db)) skip();
    await read('count_rows', { entryType: 'Thing' });
    const fieldId = things.field('Score').id;
    const outcome = await db.transaction().execute(async (tx) => {
      await sql`lock table entry in access exclusive mode`.execute(tx);
      const running = callTool(app, secret, 'query_rows', { entryType: 'Thing', query: { Score: 1 } });
      await untilSomebodyWaits(db);
      await forbid({ fieldId });
      const start = performance.now();
      const { status, body } = await running;
      return [status, body.error?.message, performance.now() - start < 1_000];
    });
    expect(outcome).toEqual([503, 'What this agent may read has changed: call again', true]);
    await forbid({ fieldId }, false);
  });
});
