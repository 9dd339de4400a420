/** The entries of a place as a collection of Directus: the same values, copied within the database. */
import { Client } from 'pg';
import type { Place } from '../entries/place.ts';
import type { Directus } from './server.ts';

const COLLECTION = 'company';
const PEOPLE = 'person';
/** The sample's first site. */
const SITE_ID = 1;

/** How a field stands in the collection: its type there, and the value of an entry in SQL. */
interface Column {
  name: string;
  type: string;
  schema?: object;
  meta?: object;
  value: string;
  /** The collection a reference leads to. */
  refersTo?: string;
}

const M2O = { interface: 'select-dropdown-m2o', special: ['m2o'] };
const AMOUNT = { numeric_precision: 20, numeric_scale: 2 };

/** `LastContact` as such a collection calls it: `last_contact`. */
export const called = (apiName: string): string => apiName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

/** The twenty fields, each as one makes it in Directus; money is two columns there. */
function columnsOf({ field }: Place): readonly Column[] {
  const raw = (apiName: string) => `vals -> '${field(apiName).id}'`;
  const text = (apiName: string) => `vals ->> '${field(apiName).id}'`;
  const names = (apiName: string) => {
    const pairs = field(apiName).choiceValues.map(({ id, name }) => [id, name]);
    return `'${JSON.stringify(Object.fromEntries(pairs)).replaceAll("'", "''")}'::jsonb`;
  };
  const as = (apiName: string, type: string, cast: string, more: Partial<Column> = {}): Column => ({
    name: called(apiName),
    type,
    value: `(${text(apiName)})::${cast}`,
    ...more,
  });
  const choice = (apiName: string): Column => {
    const choices = field(apiName).choiceValues.map(({ name }) => ({ text: name, value: name }));
    const meta = { interface: 'select-dropdown', options: { choices } };
    return as(apiName, 'string', 'text', { meta, value: `${names(apiName)} ->> (${text(apiName)})` });
  };
  const choices = (apiName: string): Column => ({
    name: called(apiName),
    type: 'json',
    meta: { interface: 'select-multiple-dropdown', special: ['cast-json'] },
    value: `(select json_agg(${names(apiName)} ->> id) from jsonb_array_elements_text(${raw(apiName)}) id)`,
  });
  const money = (apiName: string): Column[] => [
    {
      name: called(apiName),
      type: 'decimal',
      schema: AMOUNT,
      value: `(${raw(apiName)} ->> 'value')::numeric`,
    },
    { name: `${called(apiName)}_currency`, type: 'string', value: `${raw(apiName)} ->> 'currencyCode'` },
  ];
  const reference = (apiName: string, refersTo: string) =>
    as(apiName, 'integer', 'int', { meta: M2O, refersTo });
  return [
    { name: 'id', type: 'integer', schema: { is_primary_key: true }, value: 'entry_id' },
    as('Name', 'string', 'text'),
    choice('Stage'),
    choice('Region'),
    reference('Parent', COLLECTION),
    reference('Owner', PEOPLE),
    as('Employees', 'integer', 'int'),
    as('Score', 'float', 'real'),
    ...money('Revenue'),
    ...money('Valuation'),
    as('LastContact', 'timestamp', 'timestamptz'),
    as('Founded', 'date', 'date'),
    as('NextStep', 'date', 'date'),
    as('IsClient', 'boolean', 'boolean'),
    as('City', 'string', 'text'),
    as('Email', 'string', 'text'),
    as('Phone', 'string', 'text'),
    as('Summary', 'text', 'text'),
    choices('Tags'),
    choice('Source'),
    as('IsListed', 'boolean', 'boolean'),
  ];
}

async function makeCollection({ ask }: Directus, name: string, columns: readonly Omit<Column, 'value'>[]) {
  const fields = columns.map(({ name: field, type, schema = {}, meta = {} }) => ({
    field,
    type,
    schema,
    meta,
  }));
  await ask('POST', '/collections', { collection: name, schema: {}, meta: {}, fields });
}

async function relate({ ask }: Directus, columns: readonly Column[]): Promise<void> {
  for (const { name, refersTo } of columns)
    if (refersTo !== undefined)
      // Each changes the schema.
      await ask('POST', '/relations', {
        collection: COLLECTION,
        field: name,
        related_collection: refersTo,
        schema: { on_delete: 'SET NULL' },
        meta: {},
      });
}

async function copy(place: Place, { schema }: Directus, columns: readonly Column[]): Promise<void> {
  const client = new Client({ connectionString: place.service.storageEnv['DATABASE_URL'] });
  const list = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map(({ value }) => value).join(', ');
  const table = `${schema}.${COLLECTION}`;
  const statements = [
    `insert into ${schema}.${PEOPLE} (id, name) select user_id, concat_ws(' ', first_name, last_name)
       from membership join account using (user_id) where site_id = ${SITE_ID}`,
    `insert into ${table} (${list}) select ${values} from entry
       where site_id = ${SITE_ID} and type_id = ${place.typeId} order by entry_id`,
    // What is filtered by and sorted by, as its maker would advise.
    `create index on ${table} (name)`,
    `create index on ${table} (stage, id)`,
    `vacuum analyze ${table}`,
  ];
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Makes the collection and fills it. */
export async function fillDirectus(place: Place, directus: Directus): Promise<void> {
  const columns = columnsOf(place);
  await makeCollection(directus, PEOPLE, [
    { name: 'id', type: 'integer', schema: { is_primary_key: true } },
    { name: 'name', type: 'string' },
  ]);
  await makeCollection(directus, COLLECTION, columns);
  await copy(place, directus, columns);
  await relate(directus, columns);
}

/** Its table shows every column to everybody who has not chosen others. */
export async function showColumns({ ask }: Directus, place: Place): Promise<void> {
  const fields = columnsOf(place).map(({ name }) => name);
  const layout_query = { tabular: { fields, sort: ['id'] } };
  await ask('POST', '/presets', { collection: COLLECTION, layout: 'tabular', layout_query });
}

export const items = `/items/${COLLECTION}`;
export const content = `/admin/content/${COLLECTION}`;
