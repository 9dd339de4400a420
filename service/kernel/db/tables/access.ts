/**
 * Tables of second factors (migrations/0011_access.ts), identity managers and the platform (0014_platform.ts, 0015_vouched.ts) and
 * proxies (0006_proxies.ts).
 */
import type { Generated, GeneratedAlways } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

interface AuthenticatorTable {
  user_id: number;
  seed: Buffer | null;
  set_up_at: Nullable<Date>;
  next_seed: Buffer | null;
  last_step: Generated<number>;
}

interface PasskeyTable {
  passkey_id: GeneratedAlways<number>;
  user_id: number;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  name: string;
  is_synced: boolean;
  created_at: Timestamp;
  last_used_at: Nullable<Date>;
}

interface PasskeyChallengeTable {
  challenge: string;
  purpose: 'register' | 'prove' | 'sign-in';
  user_id: number | null;
  expires_at: Date;
}

interface RecoveryCodeTable {
  user_id: number;
  code_hash: Buffer;
}

interface KnownDeviceTable {
  user_id: number;
  device_hash: Buffer;
  last_seen_at: Timestamp;
}

interface ApiKeyUseTable {
  client_id: number;
  day: Date;
  operation_id: string;
  ip: string;
  agent: string;
  calls: number;
}

export interface AccessTables {
  authenticator: AuthenticatorTable;
  passkey: PasskeyTable;
  passkey_challenge: PasskeyChallengeTable;
  recovery_code: RecoveryCodeTable;
  known_device: KnownDeviceTable;
  api_key_use: ApiKeyUseTable;
}

/** A process of the service with its last heartbeat (migrations/0051_processes.ts). */
interface ServiceProcessTable {
  process_id: string;
  host: string;
  pid: number;
  version: string;
  node_version: string;
  started_at: Date;
  seen_at: Date;
  loop_delay_ms: Nullable<number>;
  memory_bytes: number;
  connections_in_use: number;
  connection_wait_ms: Nullable<number>;
  max_connections: number;
  records_writes: Generated<boolean>;
}

/** The last write of a user while a standby answers reads (migrations/0053_standby_reads.ts). */
interface UserWriteTable {
  user_id: number;
  /** Random; only compared. */
  write_id: number;
}

/** Platform administrators, processes, and identity managers of sites. */
export interface PlatformTables {
  service_process: ServiceProcessTable;
  user_write: UserWriteTable;
  platform_administrator: {
    user_id: number;
    created_at: Timestamp;
  };
  identity_provider: {
    site_id: number;
    issuer: string;
    client_id: string;
    client_secret: Buffer | null;
    claim: string;
  };
  identity_link: {
    site_id: number;
    user_id: number;
    federation_id: string;
    created_at: Timestamp;
  };
  identity_attempt: {
    state_hash: Buffer;
    site_id: number;
    nonce: string;
    verifier: string;
    expires_at: Date;
  };
}

interface ProxyAssignmentTable {
  site_id: number;
  /** The user who may act. */
  proxy_id: number;
  /** The principal. */
  user_id: number;
  created_at: Timestamp;
  created_by: Nullable<number>;
}

interface ActingReportTable {
  site_id: number;
  report_id: GeneratedAlways<number>;
  proxy_id: number;
  principal_id: number;
  source: 'console' | 'api';
  /** Day in UTC of a report of programs; null for a session. */
  day: Nullable<string>;
  reason: Nullable<string>;
  started_at: Timestamp;
  last_step_at: Nullable<Date>;
  ended_at: Nullable<Date>;
  steps: Generated<number>;
}

/** One audit trail entry of an acting report. */
interface ActingStepTable {
  site_id: number;
  report_id: number;
  at: Date;
  step_id: GeneratedAlways<number>;
  operation_id: string;
  /** Summary of the operation in the contract at that time. */
  summary: string;
  subject: string;
  is_write: boolean;
  /** HTTP status; null until the request is answered, and for good if the service was killed before. */
  status: Nullable<number>;
}

export interface ProxyTables {
  proxy_assignment: ProxyAssignmentTable;
  acting_report: ActingReportTable;
  acting_step: ActingStepTable;
}
