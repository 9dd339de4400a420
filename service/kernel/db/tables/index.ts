/**
 * Types of the tables for Kysely; they follow migrations/, with the column names of SQL. int8 columns stay below 2^53 and are numbers
 * on both databases (values.ts). docs/glossary.md explains names that are not obvious.
 */
import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { AccessTables, PlatformTables, ProxyTables } from './access.ts';
import type { AgentTables } from './agents.ts';
import type { BackupTables } from './backups.ts';
import type { Nullable, Timestamp } from './columns.ts';
import type { EntryTables } from './entries.ts';
import type { JobTables } from './jobs.ts';
import type { NotificationTables } from './notifications.ts';
import type { PublicationTables } from './publications.ts';
import type { ReportTables } from './reports.ts';

interface SiteTable {
  site_id: GeneratedAlways<number>;
  slug: string;
  name: string;
  identity_mode: Generated<'password' | 'identity-manager'>;
  dedicated_domain: string | null;
  may_manage_existing_users: Generated<boolean>;
  has_agent_server: Generated<boolean>;
  /** Whether a proxy must give a reason to act for a user in the console. */
  requires_acting_reason: Generated<boolean>;
  time_zone: Generated<string>;
  schema_version: Generated<number>;
  /** Bytes that the files of the site may use; null for the default of the host. */
  storage_quota: Nullable<number>;
  created_at: Timestamp;
}

/** Seats of a license type that are agreed with a site. */
interface SeatTotalTable {
  site_id: number;
  license_type_id: number;
  total: number;
}

/** Logo and color of a site. */
interface SiteBrandTable {
  site_id: number;
  color: string | null;
  logo: Buffer | null;
  logo_type: 'image/png' | 'image/jpeg' | 'image/webp' | null;
  logo_width: number | null;
  logo_height: number | null;
  edition: Generated<number>;
}

/** Bytes of the files of a site; triggers of the tables of files keep it (0019_storage.ts). */
interface SiteStorageTable {
  site_id: number;
  used_bytes: number;
}

/** Figures of a site on a day (UTC). */
interface SiteFigureTable {
  site_id: number;
  day: string;
  entries: number;
  changes: number;
  storage_bytes: number | null;
  measured_at: Timestamp;
}

interface AccountTable {
  user_id: GeneratedAlways<number>;
  email: string;
  email_key: string;
  first_name: string;
  last_name: string;
  password_hash: string | null;
  federation_id: string | null;
  home_site_id: number;
  failed_count: Generated<number>;
  locked_until: Nullable<Date>;
  /** Whether the person has set up a second factor. */
  second_factor: Generated<boolean>;
  created_at: Timestamp;
  modified_at: Timestamp;
}

interface MembershipTable {
  site_id: number;
  user_id: number;
  is_active: Generated<boolean>;
  license_type_id: number;
  two_factor_enabled: Generated<boolean>;
  ip_restrictions_enabled: Generated<boolean>;
  user_entry_id: number | null;
  version: Generated<number>;
  created_at: Timestamp;
  created_by: number | null;
  modified_at: Timestamp;
  modified_by: number | null;
  last_active_at: Nullable<Date>;
  expires_at: Nullable<Date>;
  /** IANA name; without one the zone of the site is the user's (spec 4.4, dateTimeBehavior). */
  time_zone: Nullable<string>;
  /** The accepted invitation that created the membership; null for every other way. */
  invitation_id: Nullable<number>;
}

/** An invitation of an existing user; its state follows from the timestamps (areas/invitations). */
interface InvitationTable {
  site_id: number;
  invitation_id: GeneratedAlways<number>;
  user_id: number;
  email: string;
  email_key: string;
  type: number;
  duration_days: number | null;
  group_ids: Generated<number[]>;
  user_entry_id: number | null;
  invited_by: number | null;
  token_hash: Buffer;
  created_at: Timestamp;
  expires_at: Date;
  accepted_at: Nullable<Date>;
  revoked_at: Nullable<Date>;
  reminded_at: Nullable<Date>;
  /** When the temporary membership ended; the license type at that time is in the next column. */
  ended_at: Nullable<Date>;
  ended_license_type_id: Nullable<number>;
}

interface UserGroupTable {
  site_id: number;
  group_id: GeneratedAlways<number>;
  name: string;
  description: string | null;
  capabilities: Generated<string[]>;
  /** Id of the entry of the group record, the UserGroupEntryID of events (spec 2.3); a new group gets the next entry id. */
  entry_id: Nullable<number>;
  created_at: Timestamp;
  modified_at: Timestamp;
}

interface GroupMemberTable {
  site_id: number;
  group_id: number;
  user_id: number;
}

/** Networks from which users with IP restrictions may act (spec 5.4). */
interface ApprovedAddressTable {
  site_id: number;
  network: string;
  note: Generated<string>;
  created_at: Timestamp;
}

/** The step that a half-completed sign-in still lacks. */
export type PendingStep = 'two-factor' | 'enrolment';
/** The second factor that completed a sign-in or proof of presence. */
export type FactorKind = 'code' | 'passkey' | 'recovery-code';

interface SessionTable {
  token_hash: Buffer;
  site_id: number;
  user_id: number;
  created_at: Timestamp;
  last_seen_at: Timestamp;
  expires_at: Date;
  ip: string | null;
  user_agent: string | null;
  session_id: Generated<string>;
  /** The missing step of a half-completed sign-in; null for a complete session. */
  pending: Nullable<PendingStep>;
  tries: Generated<number>;
  /** Time of the last proof of presence. */
  proven_at: Nullable<Date>;
  verified_by: Nullable<FactorKind>;
  /** Whether the identity manager of the site opened the session. */
  is_federated: Generated<boolean>;
  /** The acting report of a session that acts for a principal; null otherwise. */
  acting_report_id: Nullable<number>;
}

interface ApiKeyTable {
  client_id: GeneratedAlways<number>;
  site_id: number;
  user_id: number;
  secret_hash: Buffer;
  scopes: string[];
  created_at: Timestamp;
  disabled_at: Nullable<Date>;
  last_used_at: Nullable<Date>;
  expires_at: Nullable<Date>;
  reminded_at: Nullable<Date>;
}

interface AccessTokenTable {
  token_hash: Buffer;
  client_id: number;
  site_id: number;
  user_id: number;
  scopes: string[];
  created_at: Timestamp;
  expires_at: Date;
  session_id: Generated<string>;
}

interface OneTimeLinkTable {
  token_hash: Buffer;
  purpose: 'set-password' | 'first-administrator';
  site_id: number;
  user_id: number | null;
  created_at: Timestamp;
  expires_at: Date;
  used_at: Nullable<Date>;
}

interface AuditLogTable {
  audit_id: GeneratedAlways<number>;
  site_id: number;
  at: Timestamp;
  actor_id: number | null;
  proxy_id: number | null;
  action: string;
  subject_type: string;
  subject_id: string;
  /** What the subject was called at the time; null for people and where nothing was stored. */
  subject_name: string | null;
  /** One of CONFIGURATION_KINDS; null for a change that is not in the configuration log. */
  configuration_kind: string | null;
  ip: string | null;
  request_id: string;
  changes: JSONColumnType<object>;
}

/** One row: up to which id all audit rows have seals (migrations/0040_audit_chain.ts). */
interface AuditSealingTable {
  is_only: Generated<boolean>;
  sealed_to: Generated<number>;
  next_to: Nullable<number>;
  next_xid: Nullable<number>;
}

/** The seal of an audit row: the SHA-256 of the hash before it, of its number and of the row. */
interface AuditSealTable {
  site_id: number;
  seq: number;
  audit_id: number;
  hash: Buffer;
  /** Time of the row, by which its partition is found; null in seals of earlier versions. */
  at: Date | null;
}

/** The chain of seals of a site: from its checkpoint, the last deleted seal, to its newest one. */
interface AuditChainTable {
  site_id: number;
  checkpoint_seq: number;
  checkpoint_hash: Buffer;
  seq: number;
  hash: Buffer;
}

interface ActivityTable {
  activity_id: GeneratedAlways<number>;
  site_id: number;
  at: Timestamp;
  user_id: number;
  activity_type_id: number;
  source_type_id: number;
  ip_address: string | null;
  session_id: string | null;
  principal_user_id: number | null;
  export_data_type: number | null;
  /** What an export contained (migrations/0021_exports.ts). */
  export_detail: Nullable<unknown>;
  /** Type, source, export kind and "by a proxy" in one number (migrations/0005_activity.ts). */
  kind: GeneratedAlways<number>;
}

/** A saved query of the activity report with its frozen rows; `sha256` is the hash of the JSON text in `rows`. */
interface InvestigationTable {
  site_id: number;
  investigation_id: GeneratedAlways<number>;
  name: string;
  notes: string;
  query: JSONColumnType<object>;
  created_by: number;
  created_at: Timestamp;
  modified_at: Timestamp;
  total_records: number;
  frozen_rows: number;
  sha256: string;
  rows: string;
}

interface TopicTable {
  site_id: number;
  topic_id: GeneratedAlways<number>;
  name: string;
  next: Generated<number>;
}

interface TopicEventTable {
  site_id: number;
  topic_id: number;
  off: number;
  at: Timestamp;
  /** The message without topic and offset; null for a batch. */
  payload: JSONColumnType<object> | null;
  /** Names of the entries of a data event by id, for custom topics in ROWS format (spec 6.4). */
  entry_names: Nullable<object>;
  /** Offsets in default-data of a batch of messages of a custom topic; `off` is the offset of the last message. */
  sources: Nullable<number[]>;
  /** Version of the topic definition by which a batch is derived. */
  definition_version: Nullable<number>;
}

interface MailTable {
  mail_id: GeneratedAlways<number>;
  site_id: number | null;
  recipient: string;
  subject: string;
  body_text: string;
  attempts: Generated<number>;
  next_attempt_at: Timestamp;
  sent_at: Nullable<Date>;
  last_error: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
}

interface ThrottleTable {
  key: string;
  count: number;
  window_started_at: Date;
}

/** Items of scheduled tasks that failed (service/kernel/tasks/run-in-turns.ts). */
interface TaskFailureTable {
  /** Null for work of the whole installation. */
  site_id: number | null;
  task: string;
  /** Empty when the site itself is the item. */
  item: string;
  attempts: Generated<number>;
  reason: string;
  failed_at: Timestamp;
  /** Null: parked. */
  retry_at: Nullable<Date>;
}

/** Number of rows of a list per block of ids; maintained by triggers (migrations/0002_list_blocks.ts). */
interface ListBlockTable {
  site_id: number;
  list: number;
  part: number;
  first_id: number;
  n: number;
}

export interface Tables
  extends
    AccessTables,
    AgentTables,
    BackupTables,
    EntryTables,
    JobTables,
    NotificationTables,
    PlatformTables,
    ProxyTables,
    PublicationTables,
    ReportTables {
  site: SiteTable;
  seat_total: SeatTotalTable;
  site_brand: SiteBrandTable;
  site_storage: SiteStorageTable;
  site_figure: SiteFigureTable;
  account: AccountTable;
  membership: MembershipTable;
  invitation: InvitationTable;
  user_group: UserGroupTable;
  group_member: GroupMemberTable;
  approved_address: ApprovedAddressTable;
  session: SessionTable;
  api_key: ApiKeyTable;
  access_token: AccessTokenTable;
  one_time_link: OneTimeLinkTable;
  audit_log: AuditLogTable;
  audit_sealing: AuditSealingTable;
  audit_seal: AuditSealTable;
  audit_chain: AuditChainTable;
  activity: ActivityTable;
  investigation: InvestigationTable;
  topic: TopicTable;
  topic_event: TopicEventTable;
  mail: MailTable;
  throttle: ThrottleTable;
  task_failure: TaskFailureTable;
  list_block: ListBlockTable;
}
