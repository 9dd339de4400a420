/** Tables of how people prove who they are (migrations/0011_access.ts). */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

type Stamp = ColumnType<Date, Date | undefined, Date>;
type NullableStamp = ColumnType<Date | null, Date | null | undefined, Date | null>;

interface AuthenticatorTable {
  user_id: number;
  seed: Buffer | null;
  set_up_at: NullableStamp;
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
  created_at: Stamp;
  last_used_at: NullableStamp;
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
  last_seen_at: Stamp;
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
