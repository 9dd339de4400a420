/**
 * The tables as the statements see them; migrations/ is their only source. Column names are those of SQL.
 * int8 columns stay below 2^53 and are numbers on both databases (values.ts).
 */
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { AccessTables } from './access-tables.ts';
import type { BackupTables } from './backup-tables.ts';
import type { DataTables } from './data-tables.ts';
import type { PlatformTables } from './platform-tables.ts';
import type { ProxyTables } from './proxy-tables.ts';

/** A time that the database sets when the statement does not. */
type Stamp = ColumnType<Date, Date | undefined, Date>;
/** A column with a default that also may be null. */
type NullableStamp = ColumnType<Date | null, Date | null | undefined, Date | null>;

interface SiteTable {
  site_id: GeneratedAlways<number>;
  slug: string;
  name: string;
  identity_mode: Generated<'password' | 'identity-manager'>;
  dedicated_domain: string | null;
  may_manage_existing_users: Generated<boolean>;
  has_agent_server: Generated<boolean>;
  time_zone: Generated<string>;
  schema_version: Generated<number>;
  /** Another one with each change of the schema and of what is known about its slots: caches are held by it. */
  schema_stamp: Generated<string>;
  created_at: Stamp;
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
  locked_until: NullableStamp;
  /** Whether the person has set up a second factor. */
  second_factor: Generated<boolean>;
  created_at: Stamp;
  modified_at: Stamp;
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
  created_at: Stamp;
  created_by: number | null;
  modified_at: Stamp;
  modified_by: number | null;
  last_active_at: NullableStamp;
  expires_at: NullableStamp;
  /** IANA name; without one the zone of the site is the user's (spec 4.4, dateTimeBehavior). */
  time_zone: ColumnType<string | null, string | null | undefined, string | null>;
  /** From which it comes; null for every other way in. */
  invitation_id: ColumnType<number | null, number | null | undefined, number | null>;
}

/** An invitation of somebody with an account; its state follows from the times (areas/invitations). */
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
  created_at: Stamp;
  expires_at: Date;
  accepted_at: NullableStamp;
  revoked_at: NullableStamp;
  reminded_at: NullableStamp;
  /** When the temporary membership ended, and the license that it had then. */
  ended_at: NullableStamp;
  ended_license_type_id: ColumnType<number | null, number | null | undefined, number | null>;
}

interface UserGroupTable {
  site_id: number;
  group_id: GeneratedAlways<number>;
  name: string;
  description: string | null;
  capabilities: Generated<string[]>;
  entry_id: number | null;
  created_at: Stamp;
  modified_at: Stamp;
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
  created_at: Stamp;
}

/** What a sign-in lacks whose password was right. */
export type PendingStep = 'two-factor' | 'enrolment';
/** A second factor as sessions name it. */
export type FactorKind = 'code' | 'passkey' | 'recovery-code';

interface SessionTable {
  token_hash: Buffer;
  site_id: number;
  user_id: number;
  created_at: Stamp;
  last_seen_at: Stamp;
  expires_at: Date;
  ip: string | null;
  user_agent: string | null;
  session_id: Generated<string>;
  /** What is missing before it is a session; null for a whole one. */
  pending: ColumnType<PendingStep | null, PendingStep | null | undefined, PendingStep | null>;
  tries: Generated<number>;
  /** The last proof that it is still the person. */
  proven_at: NullableStamp;
  verified_by: ColumnType<FactorKind | null, FactorKind | null | undefined, FactorKind | null>;
  /** Opened by the identity manager of its site. */
  is_federated: Generated<boolean>;
  /** The report of what it does for somebody; null while it acts for nobody. */
  acting_report_id: ColumnType<number | null, number | null | undefined, number | null>;
}

interface ApiKeyTable {
  client_id: GeneratedAlways<number>;
  site_id: number;
  user_id: number;
  secret_hash: Buffer;
  scopes: string[];
  created_at: Stamp;
  disabled_at: NullableStamp;
  last_used_at: NullableStamp;
  expires_at: NullableStamp;
  reminded_at: NullableStamp;
}

interface AccessTokenTable {
  token_hash: Buffer;
  client_id: number;
  site_id: number;
  user_id: number;
  scopes: string[];
  created_at: Stamp;
  expires_at: Date;
  session_id: Generated<string>;
}

interface OneTimeLinkTable {
  token_hash: Buffer;
  purpose: 'set-password' | 'first-administrator';
  site_id: number;
  user_id: number | null;
  created_at: Stamp;
  expires_at: Date;
  used_at: NullableStamp;
}

interface AuditLogTable {
  audit_id: GeneratedAlways<number>;
  site_id: number;
  at: Stamp;
  actor_id: number | null;
  proxy_id: number | null;
  action: string;
  subject_type: string;
  subject_id: string;
  ip: string | null;
  request_id: string;
  changes: JSONColumnType<object>;
}

interface ActivityTable {
  activity_id: GeneratedAlways<number>;
  site_id: number;
  at: Stamp;
  user_id: number;
  activity_type_id: number;
  source_type_id: number;
  ip_address: string | null;
  session_id: string | null;
  principal_user_id: number | null;
  export_data_type: number | null;
  /** Type, source, export kind and "by a proxy" in one number (migrations/0005_activity.ts). */
  kind: GeneratedAlways<number>;
}

/** What somebody saved of the activity report; `rows` is the JSON text that `sha256` is of. */
interface InvestigationTable {
  site_id: number;
  investigation_id: GeneratedAlways<number>;
  name: string;
  notes: string;
  query: JSONColumnType<object>;
  created_by: number;
  created_at: Stamp;
  modified_at: Stamp;
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
  at: Stamp;
  payload: JSONColumnType<object>;
}

interface MailTable {
  mail_id: GeneratedAlways<number>;
  site_id: number | null;
  recipient: string;
  subject: string;
  body_text: string;
  attempts: Generated<number>;
  next_attempt_at: Stamp;
  sent_at: NullableStamp;
  last_error: string | null;
  created_at: Stamp;
  expires_at: Stamp;
}

interface ThrottleTable {
  key: string;
  count: number;
  window_started_at: Date;
}

/** How many entries of a list have ids in a block; triggers keep it (migrations/0002_list_blocks.ts). */
interface ListBlockTable {
  site_id: number;
  list: number;
  part: number;
  first_id: number;
  n: number;
}

export interface Tables extends AccessTables, BackupTables, DataTables, PlatformTables, ProxyTables {
  site: SiteTable;
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
  activity: ActivityTable;
  investigation: InvestigationTable;
  topic: TopicTable;
  topic_event: TopicEventTable;
  mail: MailTable;
  throttle: ThrottleTable;
  list_block: ListBlockTable;
}
