/**
 * Versions of the entries of a type, by which caches decide whether what they hold is current (docs/decisions/0031).
 * Each transaction that changes entries raises the row of their type last before commit. The row stays locked until the
 * commit, so a statement that sees version V sees the changes of all versions up to V and none of a later one. A
 * timestamp would not guarantee that: a change may be committed after one that began later.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Db, executeLater, type Tx } from './database.ts';

/** What a transaction changed of the entries of a type. */
export interface TypeChange {
  typeId: number;
  /** Fields of which values changed; `all`: entries were created, deleted, merged or restored. */
  fieldIds: readonly number[] | 'all';
}

/** What a result depends on: the entries of one type with the values of some fields, or all entries of the site. */
export interface DataDependency {
  siteId: number;
  entries: { typeId: number; fieldIds: readonly number[] } | 'all';
}

/** The version of a dependency that a statement saw. Only the database compares it. */
export type DataVersion = string;

/** For how many versions a row remembers when their transactions began. */
const MAX_RECENT_STARTS = 200;
/** The time of the transaction is the one of the row that was to be inserted: a cluster computes no time in updates of conflicts. */
const addedStart = sql`(array_prepend(excluded.recent_starts[1], v.recent_starts))[1:${sql.lit(MAX_RECENT_STARTS)}]`;

/**
 * Raises the versions of the types with the COMMIT of the transaction. Call it last in the transaction: the rows are locks that all writers of a type
 * share. They are locked in the order of type ids, so that two transactions cannot wait for each other.
 */
export function raiseTypeVersions(tx: Tx, siteId: number, changes: readonly TypeChange[]): void {
  const changesByType = Map.groupBy(changes, ({ typeId }) => typeId);
  for (const [typeId, typeChanges] of [...changesByType].toSorted(([a], [b]) => a - b)) {
    const hasEntryChanges = typeChanges.some(({ fieldIds }) => fieldIds === 'all');
    const fieldIds = typeChanges.flatMap((change) => (change.fieldIds === 'all' ? [] : change.fieldIds));
    const changedIds = [...new Set(fieldIds)];
    // Without a subquery, which a cluster does not accept here.
    const fieldVersions = (version: RawBuilder<unknown>) =>
      sql`jsonb_object(${changedIds}::text[], array_fill((${version})::text, array[${changedIds.length}::int]))`;
    const query = sql`insert into entry_type_version as v (site_id, type_id, version, entries_version, field_versions, recent_starts)
      values (${siteId}, ${typeId}, 1, ${hasEntryChanges ? 1 : 0}, ${fieldVersions(sql`1`)}, array[now()::timestamptz(3)])
      on conflict (site_id, type_id) do update set version = v.version + 1,
        entries_version = ${hasEntryChanges ? sql`v.version + 1` : sql`v.entries_version`},
        field_versions = v.field_versions || ${fieldVersions(sql`v.version + 1`)},
        recent_starts = ${addedStart}`;
    // Locks in one order.
    executeLater(query, tx);
  }
}

/** Raises the versions of all types of the site: its schema changed. The caller holds the lock of the schema. */
export async function raiseAllTypeVersions(tx: Tx, siteId: number): Promise<void> {
  await sql`insert into entry_type_version as v (site_id, type_id, version, entries_version, field_versions, recent_starts)
    select site_id, type_id, 1, 1, '{}', array[now()::timestamptz(3)] from entry_type
    where site_id = ${siteId} order by type_id
    on conflict (site_id, type_id) do update set version = v.version + 1, entries_version = v.version + 1,
      recent_starts = ${addedStart}`.execute(tx);
}

/** The version of a dependency as the statement sees it. */
export function versionSql({ siteId, entries }: DataDependency): RawBuilder<unknown> {
  // The versions of all types, and not their sum: two replicas may see concurrent changes of two types in either order.
  if (entries === 'all')
    return sql`coalesce((select string_agg(type_id || ':' || version, ' ' order by type_id)
      from entry_type_version where site_id = ${siteId}), '')`;
  return sql`coalesce((select version::text from entry_type_version
    where site_id = ${siteId} and type_id = ${entries.typeId}), '0')`;
}

/** Whether nothing of a dependency has changed since the version, as the statement sees it. */
export function isUnchangedSql(dependency: DataDependency, version: DataVersion): RawBuilder<boolean> {
  const { siteId, entries } = dependency;
  if (entries === 'all') return sql<boolean>`(${versionSql(dependency)} = ${version}::text)`;
  const known = sql`${version}::bigint`;
  // A replica may still see an older version: that is not the state of the result either.
  return sql<boolean>`coalesce((select version >= ${known} and entries_version <= ${known} and not exists (
      select from jsonb_each_text(field_versions) as f(field_id, changed_at)
      where f.field_id = any(${entries.fieldIds.map(String)}::text[]) and f.changed_at::bigint > ${known})
    from entry_type_version where site_id = ${siteId} and type_id = ${entries.typeId}), ${known} = 0)`;
}

export async function loadVersion(db: Db, dependency: DataDependency): Promise<DataVersion> {
  const { rows } = await sql<{
    version: DataVersion;
  }>`select ${versionSql(dependency)} as version`.execute(db);
  return rows[0]?.version ?? '';
}

/**
 * The present version of a type and, when it is newer than `version`, the start of the oldest transaction in between:
 * no change in between has an earlier timestamp. `since` is undefined when the version is the present one or too old.
 */
export async function loadChangesSince(
  db: Db,
  siteId: number,
  typeId: number,
  version: DataVersion,
): Promise<{ version: DataVersion; since: Date | undefined }> {
  const count = sql`version - ${version}::bigint`;
  const { rows } = await sql<{ version: DataVersion; since: Date | null }>`
    select version::text as version, case when ${count} between 1 and cardinality(recent_starts)
      then (select min(start) from unnest(recent_starts[1:(${count})::int]) as start) end as since
    from entry_type_version where site_id = ${siteId} and type_id = ${typeId}`.execute(db);
  return { version: rows[0]?.version ?? '0', since: rows[0]?.since ?? undefined };
}
