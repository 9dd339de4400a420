import { sql } from 'kysely';
import type { ConnectionType } from '../../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';

/** Settings of a site as stored. */
export interface StoredSettings {
  connectionType: ConnectionType;
  isEnabled: boolean;
  emailRelationships: boolean;
  meetingRelationships: boolean;
  collectRelationshipData: boolean;
  automatedContactCreation: boolean;
  contactEntryTypeId: number | null;
  contactEmailFieldId: number | null;
  historicalSyncPeriodDays: number;
  retentionDays: number | null;
  internalDomains: string[];
  version: number;
  modifiedDate: Date | null;
  modifiedBy: number | null;
}

const DEFAULTS: StoredSettings = {
  connectionType: 'None',
  isEnabled: false,
  emailRelationships: false,
  meetingRelationships: false,
  collectRelationshipData: false,
  automatedContactCreation: false,
  contactEntryTypeId: null,
  contactEmailFieldId: null,
  historicalSyncPeriodDays: 365,
  retentionDays: null,
  internalDomains: [],
  version: 0,
  modifiedDate: null,
  modifiedBy: null,
};

/** The settings of a site; `lock` keeps them unchanged until the end of the transaction. */
export async function loadSettings(db: Db | Tx, siteId: number, lock?: 'share'): Promise<StoredSettings> {
  const { rows } = await sql<StoredSettings>`
    select connection_type as "connectionType", is_enabled as "isEnabled", email_relationships as "emailRelationships",
      meeting_relationships as "meetingRelationships", collect_relationship_data as "collectRelationshipData",
      automated_contact_creation as "automatedContactCreation", contact_entry_type_id as "contactEntryTypeId",
      contact_email_field_id as "contactEmailFieldId", history_days as "historicalSyncPeriodDays",
      retention_days as "retentionDays", internal_domains as "internalDomains", version, modified_at as "modifiedDate",
      modified_by as "modifiedBy"
    from ri_setting where site_id = ${siteId} ${lock ? sql`for share` : sql``}`.execute(db);
  return rows[0] ?? DEFAULTS;
}

/** Lets erasures of the site wait until the end of the transaction, as each change of the settings does. */
export async function lockAgainstErasure(tx: Tx, siteId: number): Promise<void> {
  await loadSettings(tx, siteId, 'share');
}

/** Locks the settings of a site for a change. */
export async function lockSettings(tx: Tx, siteId: number): Promise<StoredSettings> {
  await sql`insert into ri_setting (site_id) values (${siteId}) on conflict do nothing`.execute(tx);
  await sql`select from ri_setting where site_id = ${siteId} for update`.execute(tx);
  return loadSettings(tx, siteId);
}

export async function updateSettings(
  tx: Tx,
  siteId: number,
  userId: number,
  settings: Omit<StoredSettings, 'version' | 'modifiedDate' | 'modifiedBy'>,
): Promise<void> {
  await sql`update ri_setting set connection_type = ${settings.connectionType}, is_enabled = ${settings.isEnabled},
      email_relationships = ${settings.emailRelationships}, meeting_relationships = ${settings.meetingRelationships},
      collect_relationship_data = ${settings.collectRelationshipData},
      automated_contact_creation = ${settings.automatedContactCreation},
      contact_entry_type_id = ${settings.contactEntryTypeId}, contact_email_field_id = ${settings.contactEmailFieldId},
      history_days = ${settings.historicalSyncPeriodDays}, retention_days = ${settings.retentionDays},
      internal_domains = ${settings.internalDomains}::text[], version = version + 1, modified_at = now(), modified_by = ${userId}
    where site_id = ${siteId}`.execute(tx);
}

/** Number of enabled users who are members, and of those whose historical upload is complete. */
export async function countEnabledUsers(
  db: Db | Tx,
  siteId: number,
): Promise<{ enabled: number; completed: number }> {
  const { rows } = await sql<{ enabled: number; completed: number }>`
    select count(*)::int as enabled, count(history_completed_at)::int as completed
    from ri_user where site_id = ${siteId} and is_enabled`.execute(db);
  return rows[0] ?? { enabled: 0, completed: 0 };
}
