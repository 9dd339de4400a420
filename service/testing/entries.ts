/** An entry type with a field of every kind, made through the interface, and short ways to write and ask its entries. */
import { expect, vi } from 'vitest';
import type { DataRequestResultVm, EntryTypeVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { FIELD, type FieldType, FILTER } from '../../contract/rules/fields.ts';
import { recalculation } from '../areas/entries/index.ts';
import { runFieldJobs } from '../areas/schema/jobs.ts';
import type { Db } from '../kernel/db/database.ts';
import type { Calls, Reply } from './calls.ts';
import { as, type House, makePerson, makeSite, type Person } from './site.ts';

export const SCHEMA = '/api/rest/v4/schema';
export const DATA = '/api/rest/v4/data';

/** Values by apiName: money with its currency, everything else as it is written. */
export type Written = Readonly<Record<string, unknown>>;
/** A row as it is answered. */
export type Row = Readonly<Record<string, unknown>> & { EntryId: number };
interface Rows {
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

type Traits = Readonly<Record<string, unknown>> & { fieldType: number };
const choices = (...names: string[]) => names.map((name) => ({ name }));

/** All but the key field Name, the calculated one and the one that is required at times. */
const FIELDS: Readonly<Record<string, Traits>> = {
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

/** A site with somebody on it who may do everything, and the type Thing. */
export interface Things {
  siteId: number;
  person: Person;
  api: Calls;
  typeId: number;
  field: (name: string) => FieldVm & { fieldType: FieldType };
  /** The id of a choice. */
  choice: (field: string, name: string) => number;
  items(entryId: number, values: Written): StoreRequest[];
  store(verb: 'post' | 'put', items: readonly object[]): Promise<Reply<DataRequestResultVm[]>>;
  /** Creates entries in one request, near-duplicates too; answers their ids. */
  create(...entries: readonly Written[]): Promise<number[]>;
  update(entryId: number, values: Written): Promise<void>;
  remove(...ids: readonly number[]): Promise<void>;
  merge(into: number, ...ids: readonly number[]): Promise<void>;
  query(query: unknown, more?: object): Promise<Rows>;
  /** Names of the rows that match, in the order of the answer. */
  names(query: unknown, more?: object): Promise<unknown[]>;
}

async function made<Body>(answer: Promise<Reply<Body>>): Promise<Body> {
  const { status, body, text } = await answer;
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** Makes a type with these fields. */
export async function makeEntryType(
  api: Calls,
  apiName: string,
  fields: Readonly<Record<string, Traits>>,
): Promise<EntryTypeVm> {
  const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
  const type = await made(api.post<EntryTypeVm>(`${SCHEMA}/entrytypes`, names));
  for (const [name, traits] of Object.entries(fields))
    // oxlint-disable-next-line no-await-in-loop -- their ids are in this order
    await made(api.post(`${SCHEMA}/entrytypes/${apiName}/fields`, { apiName: name, name, ...traits }));
  return type;
}

export async function makeThings({ app, db }: Pick<House, 'app' | 'db'>): Promise<Things> {
  const siteId = await makeSite(db);
  const person = await makePerson(db, siteId);
  const api = as(app, person);
  const { id: typeId } = await makeEntryType(api, 'Thing', FIELDS);
  const list = () => made(api.get<FieldVm[]>(`${SCHEMA}/entrytypes/Thing/fields`));
  const lost = (await list())
    .find(({ apiName }) => apiName === 'Stage')
    ?.choiceValues?.find(({ name }) => name === 'Lost');
  const stageId = (await list()).find(({ apiName }) => apiName === 'Stage')?.id;
  const isLost = { fieldId: stageId, operation: FILTER.equals, value: lost?.id };
  await made(
    api.post(`${SCHEMA}/entrytypes/Thing/fields`, {
      apiName: 'Reason',
      name: 'Reason',
      fieldType: FIELD.text,
      requiredWhen: { match: 'all', conditions: [isLost] },
    }),
  );
  return thingsOf(api, person, typeId, await list());
}

function thingsOf(api: Calls, person: Person, typeId: number, fields: readonly FieldVm[]): Things {
  const byName = new Map(fields.map((field) => [field.apiName, field]));
  const field: Things['field'] = (name) => {
    const found = byName.get(name);
    if (!found) throw new Error(`Thing has no field ${name}`);
    return { ...found, fieldType: found.fieldType as FieldType };
  };
  const items = (entryId: number, values: Written): StoreRequest[] =>
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
    made(api.post<Rows>(`${DATA}/entrydata/rows/query/${typeId}`, { query: asked, ...more }));
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
      const results = await made(
        store(
          'post',
          entries.flatMap((values, at) => items(-1 - at, values)),
        ),
      );
      return [...new Set(results.map(({ entryId }) => entryId ?? 0))];
    },
    async update(entryId, values) {
      await made(store('put', items(entryId, values)));
    },
    async remove(...ids) {
      await made(api.del(path, ids));
    },
    async merge(entryId, ...mergeEntries) {
      await made(api.post(`${DATA}/entrydata/merge/${typeId}`, { entryId, mergeEntries }));
    },
    query,
    names: async (asked, more) => (await query(asked, more)).rows.map(({ Name }) => Name),
  };
}

/** Whether readers use slots and searched texts, or scan the values: as while a field is filled anew. */
export async function setReady(db: Db, siteId: number, ready: boolean): Promise<void> {
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
    .updateTable('site')
    .set({ schema_stamp: crypto.randomUUID() })
    .where('site_id', '=', siteId)
    .execute();
}

/** Does all that changes of the schema left to be done, as the background does. */
export async function finishSchema(db: Db): Promise<void> {
  await runFieldJobs(db);
}

/** Computes all that waits for it, as the background does. */
export const calculate = (db: Db): Promise<void> => recalculation(db).run();

const clockAfter = (ms: number) => vi.waitUntil(() => Date.now() > ms && Date.now(), { interval: 1 });

/** A moment of the clock with nothing of what was or will be written in the same millisecond. */
export async function moment(): Promise<string> {
  const at = await clockAfter(Date.now() + 1);
  await clockAfter(at + 1);
  return new Date(at).toISOString();
}
