import { sql } from 'kysely';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { ACTIVITY_TYPE } from '../../kernel/audit/activity.store.ts';
import { buildCanAct, isAddressRefused } from '../../kernel/auth/callers.store.ts';
import type { Db } from '../../kernel/db/database.ts';
import { selectFederationId } from '../identity/index.ts';

/** Settings that decide whether a user can import into Relationship Intelligence. */
interface ImportState {
  /** Settings of Relationship Intelligence (spec 5.5); null as long as none were stored. */
  relationships: {
    isConnected: boolean;
    isEnabled: boolean;
    collects: boolean;
    emails: boolean;
    meetings: boolean;
  } | null;
  /** Whether the user is enabled for relationship scoring. */
  isImportEnabled: boolean;
  historyCompletedAt: Date | null;
}

/** Everything that decides whether a user can sign in or call the API. */
export interface AccessState extends ImportState {
  isActive: boolean;
  expiresAt: Date | null;
  hasEnded: boolean;
  licenseTypeId: number;
  lockedUntil: Date | null;
  identityMode: 'password' | 'identity-manager';
  hasPassword: boolean;
  federationId: string | null;
  isFactorRequired: boolean;
  hasFactor: boolean;
  isRestricted: boolean;
  /** Address of the last sign-in; null if there was none within the retention period of activity. */
  lastAddress: string | null;
  capabilities: Capability[];
  principals: number;
  proxies: number;
  /** Number of principals for whom nobody can act now: inactive, without a license, or after the end of the membership. */
  refusedPrincipals: number;
  /** End of validity of the latest pending invitation. */
  invitedUntil: Date | null;
  email: string;
  /** Whether this site is the home site of the account. */
  isHomeSite: boolean;
  dedicatedDomain: string | null;
  mayManageExistingUsers: boolean;
  /** Number of backups of the site that can be downloaded. */
  readyBackups: number;
}

/** On a cluster these settings are on another server than memberships (docs/scaling.md). */
async function readImportState(db: Db, siteId: number, userId: number): Promise<ImportState> {
  const { rows } = await sql<ImportState>`
    select (select json_build_object('isConnected', r.connection_type = 'API Endpoint', 'isEnabled', r.is_enabled,
        'collects', r.collect_relationship_data, 'emails', r.email_relationships, 'meetings', r.meeting_relationships)
        from ri_setting r where r.site_id = ${siteId}) as relationships,
      coalesce(u.is_enabled, false) as "isImportEnabled", u.history_completed_at as "historyCompletedAt"
    from (select ${siteId}::int as site_id, ${userId}::int as user_id) m
    left join ri_user u on u.site_id = m.site_id and u.user_id = m.user_id`.execute(db);
  return rows[0] ?? { relationships: null, isImportEnabled: false, historyCompletedAt: null };
}

export async function readAccessState(
  db: Db,
  siteId: number,
  userId: number,
): Promise<AccessState | undefined> {
  const { rows } = await sql<Omit<AccessState, keyof ImportState>>`
    select m.is_active as "isActive", m.expires_at as "expiresAt", coalesce(m.expires_at <= now(), false) as "hasEnded",
      m.license_type_id as "licenseTypeId",
      case when a.locked_until > now() then a.locked_until end as "lockedUntil", s.identity_mode as "identityMode",
      a.password_hash is not null as "hasPassword", ${selectFederationId(siteId)} as "federationId",
      m.two_factor_enabled as "isFactorRequired", a.second_factor as "hasFactor",
      m.ip_restrictions_enabled as "isRestricted",
      (select host(ip_address) from activity t where t.site_id = m.site_id and t.user_id = m.user_id
        and t.activity_type_id = ${ACTIVITY_TYPE.signedIn} and ip_address is not null
        order by at desc limit 1) as "lastAddress",
      coalesce((select array_agg(distinct c) from group_member gm
        join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id, unnest(g.capabilities) c
        where gm.site_id = m.site_id and gm.user_id = m.user_id), '{}') as capabilities,
      (select count(*)::int from proxy_assignment x where x.site_id = m.site_id and x.proxy_id = m.user_id) as principals,
      (select count(*)::int from proxy_assignment x where x.site_id = m.site_id and x.user_id = m.user_id) as proxies,
      (select count(*)::int from proxy_assignment x
        join membership pm on pm.site_id = x.site_id and pm.user_id = x.user_id
        where x.site_id = m.site_id and x.proxy_id = m.user_id and ${buildCanAct('pm')} is not true) as "refusedPrincipals",
      a.email, a.home_site_id = m.site_id as "isHomeSite",
      s.dedicated_domain as "dedicatedDomain", s.may_manage_existing_users as "mayManageExistingUsers",
      (select count(*)::int from backup b
        where b.site_id = m.site_id and b.status = 'Ready' and b.deleted_at is null) as "readyBackups",
      (select max(i.expires_at) from invitation i where i.site_id = m.site_id and i.user_id = m.user_id
        and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()) as "invitedUntil"
    from membership m
    join account a on a.user_id = m.user_id
    join site s on s.site_id = m.site_id
    where m.site_id = ${siteId} and m.user_id = ${userId}`.execute(db);
  const [state] = rows;
  return state && { ...state, ...(await readImportState(db, siteId, userId)) };
}

/** Whether the user's IP restrictions refuse the address (spec 5.4). */
export async function isUserAddressRefused(
  db: Db,
  siteId: number,
  userId: number,
  ip: string,
): Promise<boolean> {
  const { rows } = await sql<{ refused: boolean }>`
    select ${isAddressRefused(ip)} as refused from membership m
    where m.site_id = ${siteId} and m.user_id = ${userId}`.execute(db);
  return rows[0]?.refused ?? false;
}
