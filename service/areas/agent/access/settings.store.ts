import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';

/** License and switch of a site, and what it forbids to agents. */
export interface AgentSite {
  isLicensed: boolean;
  isEnabled: boolean;
  forbiddenTypeIds: number[];
  forbiddenFieldIds: number[];
  changedAt: Date | null;
  changedBy: number | null;
}

export async function findAgentSite(db: Db, siteId: number): Promise<AgentSite> {
  const { rows } = await sql<AgentSite>`
    select s.has_agent_server as "isLicensed", coalesce(g.is_enabled, true) as "isEnabled", g.changed_at as "changedAt",
      g.changed_by as "changedBy", coalesce(g.forbidden_type_ids, '{}') as "forbiddenTypeIds",
      coalesce(g.forbidden_field_ids, '{}') as "forbiddenFieldIds"
    from site s left join agent_site g on g.site_id = s.site_id where s.site_id = ${siteId}`.execute(db);
  return rows[0] ?? NO_SITE;
}

const NO_SITE: AgentSite = {
  isLicensed: false,
  isEnabled: false,
  forbiddenTypeIds: [],
  forbiddenFieldIds: [],
  changedAt: null,
  changedBy: null,
};

/** Sets the switch of a site. @returns whether it was different */
export async function setAgentServerEnabled(
  tx: Tx,
  siteId: number,
  { isEnabled, userId }: { isEnabled: boolean; userId: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into agent_site as g (site_id, is_enabled, changed_at, changed_by)
    select ${siteId}::int, ${isEnabled}::boolean, now(), ${userId}::int
    where not ${isEnabled}::boolean or exists (select from agent_site where site_id = ${siteId})
    on conflict (site_id) do update set is_enabled = excluded.is_enabled, changed_at = now(), changed_by = excluded.changed_by
      where g.is_enabled <> excluded.is_enabled
    returning 1`.execute(tx);
  return rows.length > 0;
}

/** A part of the schema that a site forbids to its agents: an entry type, or a field. */
export type ForbiddenPart = { typeId: number } | { fieldId: number };

/** Forbids a part of the schema, or allows it again. @returns whether that was different */
export async function setForbidden(
  tx: Tx,
  siteId: number,
  part: ForbiddenPart,
  isForbidden: boolean,
): Promise<boolean> {
  const [column, id] =
    'typeId' in part
      ? [sql.ref('forbidden_type_ids'), part.typeId]
      : [sql.ref('forbidden_field_ids'), part.fieldId];
  await sql`insert into agent_site (site_id) values (${siteId}) on conflict do nothing`.execute(tx);
  const { rows } = await sql`
    update agent_site set ${column} = case when ${isForbidden}::boolean then ${column} || ${id}::int else array_remove(${column}, ${id}::int) end
    where site_id = ${siteId} and (${id}::int = any(${column})) <> ${isForbidden}::boolean returning 1`.execute(
    tx,
  );
  return rows.length > 0;
}
