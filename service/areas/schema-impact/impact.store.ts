import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import type { SchemaField } from '../schema/index.ts';

/** What a saved view of the entries of a type names, as stored. */
export interface StoredViewNames {
  id: number;
  name: string;
  /** Whether the caller sees the view: an own or a shared one. */
  isVisible: boolean;
  query: string;
  sort: string;
  columns: { order: string[]; hidden: string[]; widths: Record<string, number> };
  pinned: { field: string }[];
}

/** All saved views of the entries of a type, those of other users too. */
export async function listViewsOfType(
  db: Db,
  { siteId, userId, typeId }: { siteId: number; userId: number; typeId: number },
): Promise<StoredViewNames[]> {
  const { rows } = await sql<StoredViewNames>`
    select view_id as id, name, owner_id = ${userId} or is_shared as "isVisible", query, sort, columns, pinned
    from saved_view
    where site_id = ${siteId} and type_id = ${typeId} order by lower(name), view_id`.execute(db);
  return rows;
}

/** A report template with the texts of the placeholders of its current version. */
export interface StoredPlaceholders {
  id: number;
  name: string;
  typeId: number;
  placeholders: string[];
}

export async function listTemplatePlaceholders(db: Db, siteId: number): Promise<StoredPlaceholders[]> {
  const { rows } = await sql<StoredPlaceholders>`
    select t.template_id as id, t.name, t.type_id as "typeId",
      coalesce((select json_agg(distinct mark) from jsonb_path_query(v.texts, '$.texts[*].marks[*].text') as mark), '[]') as placeholders
    from report_template t join report_template_version v using (site_id, template_id, version)
    where t.site_id = ${siteId} order by lower(t.name), t.template_id`.execute(db);
  return rows;
}

interface NamedUse {
  id: number;
  name: string;
}

/** Custom topics that stream the type, or the field: topics without a list of fields stream all. */
export async function listTopicsOfType(
  db: Db,
  siteId: number,
  { typeId, fieldId }: { typeId: number; fieldId: number | undefined },
): Promise<(NamedUse & { isListed: boolean })[]> {
  const { rows } = await sql<NamedUse & { isListed: boolean }>`
    select d.topic_id as id, t.name, x -> 'fieldIds' is not null as "isListed"
    from topic_definition d join topic t using (site_id, topic_id) cross join jsonb_array_elements(d.entry_types) x
    where d.site_id = ${siteId} and (x ->> 'entryTypeId')::int = ${typeId}
      and (${fieldId ?? null}::int is null or x -> 'fieldIds' is null or x -> 'fieldIds' @> to_jsonb(${fieldId ?? null}::int))
    order by lower(t.name), d.topic_id`.execute(db);
  return rows;
}

/** Valid keys of agents that may read the type. */
export async function listAgentKeysOfType(
  db: Db,
  siteId: number,
  typeId: number,
): Promise<(NamedUse & { isListed: boolean })[]> {
  const { rows } = await sql<NamedUse & { isListed: boolean }>`
    select key_id as id, name, entry_type_ids is not null as "isListed" from agent_key
    where site_id = ${siteId} and revoked_at is null and expires_at > now()
      and (entry_type_ids is null or ${typeId} = any(entry_type_ids))
    order by lower(name), key_id`.execute(db);
  return rows;
}

/** Whether imports of relationships link contacts of the type, by the field if one is given. */
export async function isContactType(
  db: Db,
  siteId: number,
  { typeId, fieldId }: { typeId: number; fieldId: number | undefined },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ri_setting where site_id = ${siteId} and contact_entry_type_id = ${typeId}
      and (${fieldId ?? null}::int is null or contact_email_field_id = ${fieldId ?? null}::int)`.execute(db);
  return rows.length > 0;
}

/** Number of entries, among the first `limit` of the type by id, that refer to an entry of another type than `typeIds`. */
export async function countOtherReferences(
  db: Db,
  siteId: number,
  field: SchemaField,
  typeIds: readonly number[],
  limit: number,
): Promise<{ count: number; examined: number }> {
  const key = String(field.id);
  const { rows } = await sql<{ count: number; examined: number }>`
    select count(*)::int as examined, count(*) filter (where exists (
        select 1 from jsonb_array_elements(case when jsonb_typeof(e.vals -> ${key}) = 'array' then e.vals -> ${key}
          else jsonb_build_array(e.vals -> ${key}) end) as item
        join entry_change c on c.site_id = ${siteId} and c.entry_id = (item #>> '{}')::int
        where c.type_id <> all(${[...typeIds]}::int[])))::int as count
    from (select vals from entry where site_id = ${siteId} and type_id = ${field.typeId} order by entry_id limit ${limit}) e`.execute(
    db,
  );
  return rows[0] ?? { count: 0, examined: 0 };
}
