/** An entry type with a field of every kind, created through the API, and shortcuts to write and query its entries. */
import type { FastifyInstance } from 'fastify';
import { expect, vi } from 'vitest';
import type { DataRequestResultVm, EntryTypeVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import { FIELD, type FieldType, FILTER } from '../../../contract/rules/schema/fields.ts';
import { recalculateTask } from '../../areas/entries/index.ts';
import { createFieldJobsTask } from '../../areas/schema/field-jobs.ts';
import type { Db } from '../../kernel/db/database.ts';
import { type ApiClient, type ErrorBody, type Reply, sendForm } from '../calls.ts';
import { as, type AppContext, makePerson, makeSite, type Person } from '../site.ts';
import { runTask } from '../tasks.ts';

export const SCHEMA = '/api/rest/v4/schema';
export const DATA = '/api/rest/v4/data';

/** Values by apiName in the request format; money as an object with its currency. */
export type FieldValues = Readonly<Record<string, unknown>>;
/** A row of a response. */
export type Row = Readonly<Record<string, unknown>> & { EntryId: number };
interface RowsResponse {
  totalRecords: number;
  rows: Row[];
  position?: number | null;
}
interface StoreRequest {
  entryId: number;
  fieldId: number;
  value: unknown;
  ignoreNearDups?: boolean;
  currencyCode?: string;
}

type FieldTraits = Readonly<Record<string, unknown>> & { fieldType: number };
const choices = (...names: string[]) => names.map((name) => ({ name }));

/** All fields except the key field Name and the conditionally required field Reason. */
const FIELDS: Readonly<Record<string, FieldTraits>> = {
  Note: { fieldType: FIELD.text, isSearchable: true },
  Memo: { fieldType: FIELD.text },
  Stage: { fieldType: FIELD.choice, choiceValues: choices('Open', 'Won', 'Lost') },
  Tags: { fieldType: FIELD.choice, isMultiSelect: true, choiceValues: choices('Red', 'Green', 'Blue') },
  Score: { fieldType: FIELD.number },
  Revenue: { fieldType: FIELD.number, isMoney: true },
  Price: { fieldType: FIELD.currency },
  Seen: { fieldType: FIELD.date },
  Founded: { fieldType: FIELD.date, isDateOnly: true },
  Parent: { fieldType: FIELD.reference },
  Friends: { fieldType: FIELD.reference, isMultiSelect: true },
  Active: { fieldType: FIELD.boolean },
  Owner: { fieldType: FIELD.user },
  Team: { fieldType: FIELD.user, isMultiSelect: true },
  Plan: { fieldType: FIELD.binary },
  Papers: { fieldType: FIELD.binary, isMultiSelect: true },
  Logo: { fieldType: FIELD.image },
  Photos: { fieldType: FIELD.image, isMultiSelect: true },
  No: { fieldType: FIELD.counter },
  Twice: { fieldType: FIELD.number, formula: 'Score * 2' },
};

/** A site with the type Thing and a person who has all capabilities. */
export interface Things {
  siteId: number;
  person: Person;
  api: ApiClient;
  typeId: number;
  field: (name: string) => FieldVm & { fieldType: FieldType };
  /** Id of a choice of a field by its name. */
  choice: (field: string, name: string) => number;
  items(entryId: number, values: FieldValues): StoreRequest[];
  store(verb: 'post' | 'put', items: readonly object[]): Promise<Reply<DataRequestResultVm[]>>;
  /** Creates entries in one request, near-duplicates included; returns their ids. */
  create(...entries: readonly FieldValues[]): Promise<number[]>;
  update(entryId: number, values: FieldValues): Promise<void>;
  remove(...ids: readonly number[]): Promise<void>;
  merge(into: number, ...ids: readonly number[]): Promise<void>;
  query(query: unknown, more?: object): Promise<RowsResponse>;
  /** Names of the matching rows in the order of the response. */
  names(query: unknown, more?: object): Promise<unknown[]>;
}

async function expectOk<Body>(answer: Promise<Reply<Body>>): Promise<Body> {
  const { status, body, text } = await answer;
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** Creates an entry type with these fields. */
export async function makeEntryType(
  api: ApiClient,
  apiName: string,
  fields: Readonly<Record<string, FieldTraits>>,
): Promise<EntryTypeVm> {
  const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
  const type = await expectOk(api.post<EntryTypeVm>(`${SCHEMA}/entrytypes`, names));
  for (const [name, traits] of Object.entries(fields))
    // The ids of the fields follow this order.
    await expectOk(api.post(`${SCHEMA}/entrytypes/${apiName}/fields`, { apiName: name, name, ...traits }));
  return type;
}

/** Creates a new site with the type Thing. */
export async function makeThings({ app, db }: Pick<AppContext, 'app' | 'db'>): Promise<Things> {
  const siteId = await makeSite(db);
  const person = await makePerson(db, siteId);
  const api = as(app, person);
  const { id: typeId } = await makeEntryType(api, 'Thing', FIELDS);
  const list = () => expectOk(api.get<FieldVm[]>(`${SCHEMA}/entrytypes/Thing/fields`));
  const lost = (await list())
    .find(({ apiName }) => apiName === 'Stage')
    ?.choiceValues?.find(({ name }) => name === 'Lost');
  const stageId = (await list()).find(({ apiName }) => apiName === 'Stage')?.id;
  const isLost = { fieldId: stageId, operation: FILTER.equals, value: lost?.id };
  await expectOk(
    api.post(`${SCHEMA}/entrytypes/Thing/fields`, {
      apiName: 'Reason',
      name: 'Reason',
      fieldType: FIELD.text,
      requiredWhen: { match: 'all', conditions: [isLost] },
    }),
  );
  return buildThings(api, person, typeId, await list());
}

function buildThings(api: ApiClient, person: Person, typeId: number, fields: readonly FieldVm[]): Things {
  const byName = new Map(fields.map((field) => [field.apiName, field]));
  const field: Things['field'] = (name) => {
    const found = byName.get(name);
    if (!found) throw new Error(`Thing has no field ${name}`);
    return { ...found, fieldType: found.fieldType as FieldType };
  };
  const items = (entryId: number, values: FieldValues): StoreRequest[] =>
    Object.entries(values).map(([name, value]) => {
      const item = { entryId, fieldId: field(name).id, ignoreNearDups: true };
      const isMoney = typeof value === 'object' && value !== null && 'currencyCode' in value;
      return isMoney
        ? { ...item, ...(value as { value: number; currencyCode: string }) }
        : { ...item, value };
    });
  const path = `${DATA}/entrydata/${typeId}`;
  const store: Things['store'] = (verb, storeRequests) => api[verb](path, { storeRequests });
  const query: Things['query'] = (asked, more) =>
    expectOk(api.post<RowsResponse>(`${DATA}/entrydata/rows/query/${typeId}`, { query: asked, ...more }));
  return {
    siteId: person.siteId,
    person,
    api,
    typeId,
    field,
    choice: (name, choice) => field(name).choiceValues?.find((each) => each.name === choice)?.id ?? 0,
    items,
    store,
    async create(...entries) {
      const results = await expectOk(
        store(
          'post',
          entries.flatMap((values, at) => items(-1 - at, values)),
        ),
      );
      return [...new Set(results.map(({ entryId }) => entryId ?? 0))];
    },
    async update(entryId, values) {
      await expectOk(store('put', items(entryId, values)));
    },
    async remove(...ids) {
      await expectOk(api.del(path, ids));
    },
    async merge(entryId, ...mergeEntries) {
      await expectOk(api.post(`${DATA}/entrydata/merge/${typeId}`, { entryId, mergeEntries }));
    },
    query,
    names: async (asked, more) => (await query(asked, more)).rows.map(({ Name }) => Name),
  };
}

/** Marks slots and search tables as ready or as being filled, so that queries use them or scan the values instead. */
export async function setIndexesReady(db: Db, siteId: number, ready: boolean): Promise<void> {
  const state = ready ? 'ready' : 'filling';
  await db
    .updateTable('field')
    .set({ slot_state: state })
    .where('site_id', '=', siteId)
    .where('slot', 'is not', null)
    .execute();
  await db
    .updateTable('field')
    .set({ search_state: state })
    .where('site_id', '=', siteId)
    .where('is_searchable', '=', true)
    .execute();
  await db
    .updateTable('schema_stamp')
    .set({ stamp: crypto.randomUUID() })
    .where('site_id', '=', siteId)
    .execute();
}

/** Runs all pending field jobs, as the scheduled task does. */
export async function finishSchema(db: Db): Promise<void> {
  await runTask(createFieldJobsTask({ db }));
}

/** Runs all queued calculations, as the scheduled task does. */
export const recalculate = (db: Db): Promise<void> => runTask(recalculateTask(db));

const waitForClock = (ms: number) => vi.waitUntil(() => Date.now() > ms && Date.now(), { interval: 1 });

/** A timestamp in whose millisecond nothing has been or will be written. */
export async function nextTimestamp(): Promise<string> {
  const at = await waitForClock(Date.now() + 1);
  await waitForClock(at + 1);
  return new Date(at).toISOString();
}

/** A file to upload into a field of an entry. */
export interface TestFile {
  field: string;
  name?: string;
  content: Buffer;
}

/** Sends a multipart request with files for an entry and store requests; `parts`: the files that are really sent. */
export async function uploadFiles(
  app: FastifyInstance,
  things: Things,
  {
    entryId,
    files,
    storeRequests = [],
    parts = files,
  }: {
    entryId: number;
    files: readonly TestFile[];
    storeRequests?: readonly object[];
    parts?: readonly TestFile[];
  },
): Promise<Reply<DataRequestResultVm[] & ErrorBody>> {
  const binaryStoreRequests = files.map(({ field, name = 'file' }) => ({
    entryId,
    fieldId: things.field(field).id,
    name,
  }));
  return sendForm(app, {
    method: 'PUT',
    url: `${DATA}/entrydata/Thing`,
    token: things.person.token,
    model: { storeRequests, binaryStoreRequests },
    files: parts.map(({ content }) => ({ part: 'files', name: 'sent.bin', content })),
  });
}
