import { sql } from 'kysely';
import { ApiError } from '../../kernel/api-error.ts';
import { createCache } from '../../kernel/cache.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import {
  buildSchema,
  type SiteSchema,
  type StoredChoice,
  type StoredEntryType,
  type StoredField,
} from './schema.ts';

/**
 * Cached schemas by stamp. `schema_stamp.stamp` is a random UUID that every change of the schema renews, so a stamp never
 * identifies another schema, not even after a rollback or in another database.
 */
const schemasByStamp = createCache<SiteSchema>({ maxEntries: 200 });
/** Stamp of each site as this process last read it. */
const lastStampBySite = new Map<number, string>();

/** First key of the advisory lock; the second is the site id. Any number that no other lock of the service uses. */
const SCHEMA_LOCK_KEY = 7_402;

/** Schema of a site; a cached one costs a single read of its stamp. */
export async function loadSchema(db: Db, siteId: number): Promise<SiteSchema> {
  const query = sql<{ stamp: string }>`select stamp from schema_stamp where site_id = ${siteId}`;
  const { rows } = await query.execute(db);
  const stamp = rows[0]?.stamp ?? '';
  const schema = schemasByStamp.get(stamp);
  if (!schema) return readSchema(db, siteId);
  lastStampBySite.set(siteId, stamp);
  return schema;
}

/** The schema of a site as this process last read it, without checking whether it is the present one; undefined if it read none. */
export function getCachedSchema(siteId: number): SiteSchema | undefined {
  const stamp = lastStampBySite.get(siteId);
  return stamp === undefined ? undefined : schemasByStamp.get(stamp);
}

/**
 * Runs `read` with the cached schema of the site without checking it first; the result carries the stamp that was
 * current when it was read. If that differs, or `read` throws an ApiError, the schema is loaded and `read` runs again,
 * so `read` must have no side effects.
 */
export async function readWithSchema<T extends { stamp: string }>(
  db: Db,
  siteId: number,
  read: (schema: SiteSchema) => Promise<T>,
): Promise<T> {
  const stamp = lastStampBySite.get(siteId);
  const cachedSchema = stamp === undefined ? undefined : schemasByStamp.get(stamp);
  if (cachedSchema) {
    const result = await read(cachedSchema).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
    if (result && result.stamp === stamp) return result;
  }
  return read(await loadSchema(db, siteId));
}

/**
 * Schema for writers of entries, under a shared lock: it does not change before the transaction ends. Must be taken
 * before any other lock. Writers hold it together; a change of the schema waits for them, and they wait for it, in
 * order.
 */
export async function lockSchemaShared(tx: Tx, siteId: number): Promise<SiteSchema> {
  const lock = sql`select pg_advisory_xact_lock_shared(${SCHEMA_LOCK_KEY}::int, ${siteId}::int)`;
  const [, schema] = await Promise.all([lock.execute(tx), loadSchema(tx, siteId)]);
  return schema;
}

/**
 * Locks the schema like `lockSchemaShared` and runs `lock` with it, which takes further locks and reads what they protect. `lock`
 * is started with the cached schema, so that its statements are sent together with the lock of the schema. If that schema is not
 * the present one, the result and a thrown ApiError are discarded and `lock` runs again; locks that it took remain.
 */
export async function lockWithSchema<T>(
  tx: Tx,
  siteId: number,
  lock: (schema: SiteSchema) => Promise<T>,
): Promise<T> {
  const cachedSchema = getCachedSchema(siteId);
  const locking = lockSchemaShared(tx, siteId);
  if (!cachedSchema) return lock(await locking);
  const [schema, result] = await Promise.all([locking, settle(lock(cachedSchema))]);
  return schema === cachedSchema ? result() : lock(schema);
}

/** Waits for the outcome of `work`. @returns a function that returns its value or throws its ApiError */
async function settle<T>(work: Promise<T>): Promise<() => T> {
  try {
    const value = await work;
    return () => value;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return () => {
      throw error;
    };
  }
}

/**
 * Schema for changing it, under an exclusive lock: no other transaction writes entries or the schema before this one
 * ends.
 */
export async function lockSchemaExclusive(tx: Tx, siteId: number): Promise<SiteSchema> {
  await sql`select pg_advisory_xact_lock(${SCHEMA_LOCK_KEY}::int, ${siteId}::int)`.execute(tx);
  return loadSchema(tx, siteId);
}

/** Caches a schema instead of the one before: a site has one, and each version of a large one takes megabytes. */
function cacheSchema(stamp: string, schema: SiteSchema): void {
  const previous = lastStampBySite.get(schema.siteId);
  if (previous !== undefined) schemasByStamp.delete(previous);
  lastStampBySite.set(schema.siteId, stamp);
  schemasByStamp.set(stamp, schema);
}

interface SchemaRow {
  stamp: string;
  version: number;
  types: StoredEntryType[];
  fields: StoredField[];
  choices: StoredChoice[];
}

/** Reads the whole schema in one statement, so that all parts belong to one version. */
async function readSchema(db: Db, siteId: number): Promise<SiteSchema> {
  const { rows } = await sql<SchemaRow>`
    select (select stamp from schema_stamp where site_id = ${siteId}) as stamp, schema_version as version,
      (select coalesce(jsonb_agg(jsonb_build_object('id', type_id, 'apiName', api_name, 'singularName', singular_name,
        'pluralName', plural_name, 'icon', icon, 'version', version) order by type_id), '[]')
        from entry_type where site_id = ${siteId}) as types,
      (select coalesce(jsonb_agg(jsonb_build_object('id', field_id, 'typeId', type_id, 'apiName', api_name, 'name', name,
        'description', description, 'fieldType', kind, 'isRequired', is_required, 'requiredWhen', required_when,
        'isMoney', is_money, 'isMultiSelect', is_multi, 'isKey', is_key, 'isSearchable', is_searchable,
        'isDateOnly', is_date_only, 'isOnEntryForm', is_on_form, 'formula', formula,
        'formulaMaxLength', formula_max_length, 'entryLists', to_jsonb(entry_lists),
        'slot', slot, 'slotState', slot_state, 'searchState', search_state, 'version', version) order by field_id), '[]')
        from field where site_id = ${siteId} and deleted_at is null) as fields,
      (select coalesce(jsonb_agg(jsonb_build_object('id', choice_id, 'fieldId', field_id, 'name', name,
        'seqNumber', seq, 'isRemoved', is_removed) order by choice_id), '[]')
        from choice_value where site_id = ${siteId}) as choices
    from site where site_id = ${siteId}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`Site ${siteId} does not exist`);
  const schema = buildSchema({ siteId, ...row });
  cacheSchema(row.stamp, schema);
  return schema;
}
