import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ofEveryRequest } from '../../kernel/db/prepared.ts';
import { ApiError } from '../../kernel/http/errors.ts';
import { buildSchema } from './build.ts';
import type { SiteSchema, StoredChoice, StoredField, StoredType } from './schema.ts';

/**
 * Schemas by their stamp, the last used ones last. A stamp is random and made anew by each change: it never names
 * another schema, not even after a rolled back change or in another database.
 */
const known = new Map<string, SiteSchema>();
const MOST_KNOWN = 200;
/** The stamp that a site had when this process looked last. */
const latest = new Map<number, string>();

/** Second half of the keys is the site; any number will do that no other lock of ours has. */
const SCHEMA_LOCK = 7_402;

/** The schema of a site: one cheap read where this process knows it already. */
export async function loadSchema(db: Db, siteId: number): Promise<SiteSchema> {
  const { rows } = await sql<{ stamp: string }>`${ofEveryRequest}
    select schema_stamp as stamp from site where site_id = ${siteId}`.execute(db);
  const stamp = rows[0]?.stamp ?? '';
  const schema = known.get(stamp);
  if (!schema) return readSchema(db, siteId);
  remember(stamp, schema);
  return schema;
}

/**
 * Reads by the schema of the site: without asking for it first where this process knows one, since what is read tells the
 * stamp that it was read under. Where that is another one, or the request is refused, the schema is asked for and all is
 * read again; `read` must do nothing else.
 */
export async function readBySchema<T extends { stamp: string }>(
  db: Db,
  siteId: number,
  read: (schema: SiteSchema) => Promise<T>,
): Promise<T> {
  const stamp = latest.get(siteId);
  const likely = stamp === undefined ? undefined : known.get(stamp);
  if (likely) {
    const result = await read(likely).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
    if (result && result.stamp === stamp) return result;
  }
  return read(await loadSchema(db, siteId));
}

/**
 * The schema for whoever writes entries: it does not change before the transaction ends. Take it first of all locks;
 * any number of writers hold it together, and a change of the schema waits for them, and they for it, in turn.
 */
export async function holdSchema(tx: Tx, siteId: number): Promise<SiteSchema> {
  await sql`select pg_advisory_xact_lock_shared(${SCHEMA_LOCK}::int, ${siteId}::int)`.execute(tx);
  return loadSchema(tx, siteId);
}

/** The schema for whoever changes it: nobody else writes entries or the schema before the transaction ends. */
export async function lockSchema(tx: Tx, siteId: number): Promise<SiteSchema> {
  await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::int, ${siteId}::int)`.execute(tx);
  return loadSchema(tx, siteId);
}

function remember(stamp: string, schema: SiteSchema): void {
  latest.set(schema.siteId, stamp);
  known.delete(stamp);
  known.set(stamp, schema);
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
}

interface SchemaRow {
  stamp: string;
  version: number;
  types: StoredType[];
  fields: StoredField[];
  choices: StoredChoice[];
}

/** All of it in one statement, so of one moment. */
async function readSchema(db: Db, siteId: number): Promise<SiteSchema> {
  const { rows } = await sql<SchemaRow>`
    select schema_stamp as stamp, schema_version as version,
      (select coalesce(jsonb_agg(jsonb_build_object('id', type_id, 'apiName', api_name, 'singularName', singular_name,
        'pluralName', plural_name, 'version', version) order by type_id), '[]')
        from entry_type where site_id = ${siteId}) as types,
      (select coalesce(jsonb_agg(jsonb_build_object('id', field_id, 'typeId', type_id, 'apiName', api_name, 'name', name,
        'description', description, 'fieldType', kind, 'isRequired', is_required, 'requiredWhen', required_when,
        'isMoney', is_money, 'isMultiSelect', is_multi, 'isKey', is_key, 'isSearchable', is_searchable,
        'isDateOnly', is_date_only, 'isOnEntryForm', is_on_form, 'formula', formula, 'entryLists', to_jsonb(entry_lists),
        'slot', slot, 'slotState', slot_state, 'searchState', search_state, 'version', version) order by field_id), '[]')
        from field where site_id = ${siteId} and deleted_at is null) as fields,
      (select coalesce(jsonb_agg(jsonb_build_object('id', choice_id, 'fieldId', field_id, 'name', name,
        'seqNumber', seq, 'isRemoved', is_removed) order by choice_id), '[]')
        from choice_value where site_id = ${siteId}) as choices
    from site where site_id = ${siteId}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`Site ${siteId} does not exist`);
  const schema = buildSchema({ siteId, ...row });
  remember(row.stamp, schema);
  return schema;
}
