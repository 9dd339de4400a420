/** Tables of the agent server (migrations/0032_agents.ts, 0044_agent_clients.ts, 0050_agent_key_pause.ts, 0057_agent_forbidden_fields.ts). */
import type { Generated, GeneratedAlways } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

interface AgentSiteTable {
  site_id: number;
  is_enabled: Generated<boolean>;
  changed_at: Nullable<Date>;
  changed_by: Nullable<number>;
  minute: Timestamp;
  minute_calls: Generated<number>;
  forbidden_type_ids: Generated<number[]>;
  forbidden_field_ids: Generated<number[]>;
}

interface AgentKeyTable {
  site_id: number;
  key_id: GeneratedAlways<number>;
  user_id: number;
  name: string;
  secret_hash: Nullable<Buffer>;
  client_id: Nullable<string>;
  entry_type_ids: Nullable<number[]>;
  calls_per_day: Nullable<number>;
  created_at: Timestamp;
  created_by: Nullable<number>;
  expires_at: Date;
  paused_at: Nullable<Date>;
  paused_by: Nullable<number>;
  revoked_at: Nullable<Date>;
  revoked_by: Nullable<number>;
  last_used_at: Nullable<Date>;
  minute: Timestamp;
  minute_calls: Generated<number>;
  minute_rows: Generated<number>;
  day: Generated<string>;
  day_calls: Generated<number>;
}

interface AgentTokenTable {
  token_hash: Buffer;
  kind: string;
  site_id: number;
  key_id: number;
  payload: string;
  expires_at: Date;
  consumed_at: Nullable<Date>;
}

interface AgentCallTable {
  site_id: number;
  call_id: GeneratedAlways<number>;
  at: Date;
  key_id: number;
  key_name: string;
  user_id: number;
  tool: string;
  outcome: string;
  message: string | null;
  arguments: string;
  entry_type_id: number | null;
  field_ids: number[];
  value_counts: number[];
  entry_ids: number[];
  rows: number;
  bytes: number;
  duration_ms: number;
  as_of: Date | null;
  flags: number[];
  client_name: string;
  client_version: string;
  protocol_version: string;
  ip: string;
}

export interface AgentTables {
  agent_site: AgentSiteTable;
  agent_key: AgentKeyTable;
  agent_token: AgentTokenTable;
  agent_call: AgentCallTable;
}
