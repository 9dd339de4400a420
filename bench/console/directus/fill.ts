/** Copies the entries into a Directus collection with the same values, within the database. */
import { Client } from 'pg';
import type { EntryService } from '../../entries/entry-service.ts';
import type { Directus } from './server.ts';

const ENTRY_COLLECTION = 'company';
const USER_COLLECTION = 'person';
/** The sample's first site. */
const SITE_ID = 1;

/** A column of the collection: its Directus type, and the SQL expression of its value for an entry. */
interface Column {
  name: string;
  type: string;
  schema?: object;
  meta?: object;
  value: string;
  /** Name of the collection that a reference points to. */
  refersTo?: string;
}

const M2O = { interface: 'select-dropdown-m2o', special: ['m2o'] };
const AMOUNT = { numeric_precision: 20, numeric_scale: 2 };

/** Column name of a field in snake case: `last_contact` for `LastContact`. */
export const toColumnName = (apiName: string): string =>
  apiName.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

/** Columns for the twenty fields. A currency field becomes two columns, amount and currency code. */
function buildColumns({ getField: field }: EntryService): readonly Column[] {
  const raw = (apiName: string) => `vals -> '${field(apiName).id}'`;
  const text = (apiName: string) => `vals ->> '${field(apiName).id}'`;
  const names = (apiName: string) => {
    const pairs = field(apiName).choiceValues.map(({ id, name }) => [id, name]);
    return `'${JSON.stringify(Object.fromEntries(pairs)).replaceAll("'", "''")}'::jsonb`;
  };
  const as = (apiName: string, type: string, cast: string, more: Partial<Column> = {}): Column => ({
    name: toColumnName(apiName),
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
    name: toColumnName(apiName),
    type: 'json',
    meta: { interface: 'select-multiple-dropdown', special: ['cast-json'] },
    value: `(select json_agg(${names(apiName)} ->> id) from jsonb_array_elements_text(${raw(apiName)}) id)`,
  });
  const money = (apiName: string): Column[] => [
    {
      name: toColumnName(apiName),
      type: 'decimal',
      schema: AMOUNT,
      value: `(${raw(apiName)} ->> 'value')::numeric`,
    },
    {
      name: `${toColumnName(apiName)}_currency`,
      type: 'string',
      value: `${raw(apiName)} ->> 'currencyCode'`,
    },
  ];
  const reference = (apiName: string, refersTo: string) =>
    as(apiName, 'integer', 'int', { meta: M2O, refersTo });
  return [
    { name: 'id', type: 'integer', schema: { is_primary_key: true }, value: 'entry_id' },
    as('Name', 'string', 'text'),
    choice('Stage'),
    choice('Region'),
    reference('Parent', ENTRY_COLLECTION),
    reference('Owner', USER_COLLECTION),
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

async function createCollection({ call }: Directus, name: string, columns: readonly Omit<Column, 'value'>[]) {
  const fields = columns.map(({ name: field, type, schema = {}, meta = {} }) => ({
    field,
    type,
    schema,
    meta,
  }));
  await call('POST', '/collections', { collection: name, schema: {}, meta: {}, fields });
}

async function createRelations({ call }: Directus, columns: readonly Column[]): Promise<void> {
  for (const { name, refersTo } of columns)
    if (refersTo !== undefined)
      // Sequential, because each relation changes the schema.
      await call('POST', '/relations', {
        collection: ENTRY_COLLECTION,
        field: name,
        related_collection: refersTo,
        schema: { on_delete: 'SET NULL' },
        meta: {},
      });
}

/** Copies users and entries into the collections and creates the indexes. */
async function copyEntries(
  entryService: EntryService,
  { schema }: Directus,
  columns: readonly Column[],
): Promise<void> {
  const client = new Client({ connectionString: entryService.service.storageEnv['DATABASE_URL'] });
  const list = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map(({ value }) => value).join(', ');
  const table = `${schema}.${ENTRY_COLLECTION}`;
  const statements = [
    `insert into ${schema}.${USER_COLLECTION} (id, name) select user_id, concat_ws(' ', first_name, last_name)
       from membership join account using (user_id) where site_id = ${SITE_ID}`,
    `insert into ${table} (${list}) select ${values} from entry
       where site_id = ${SITE_ID} and type_id = ${entryService.typeId} order by entry_id`,
    // Indexes for the measured filter and sort order, as an administrator of Directus would create them.
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

/** Creates the collection with its relations and copies the entries into it. */
export async function fillDirectus(entryService: EntryService, directus: Directus): Promise<void> {
  const columns = buildColumns(entryService);
  await createCollection(directus, USER_COLLECTION, [
    { name: 'id', type: 'integer', schema: { is_primary_key: true } },
    { name: 'name', type: 'string' },
  ]);
  await createCollection(directus, ENTRY_COLLECTION, columns);
  await copyEntries(entryService, directus, columns);
  await createRelations(directus, columns);
}

/** Creates a default preset that shows every column in the table, sorted by id. */
export async function createDefaultPreset({ call }: Directus, entryService: EntryService): Promise<void> {
  const fields = buildColumns(entryService).map(({ name }) => name);
  const layout_query = { tabular: { fields, sort: ['id'] } };
  await call('POST', '/presets', { collection: ENTRY_COLLECTION, layout: 'tabular', layout_query });
}

export const ITEMS_PATH = `/items/${ENTRY_COLLECTION}`;
export const TABLE_PATH = `/admin/content/${ENTRY_COLLECTION}`;
