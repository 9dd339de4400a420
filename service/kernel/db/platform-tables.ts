import type { ColumnType } from 'kysely';

/** Tables of the platform above its sites (migrations/0014_platform.ts, 0015_vouched.ts). */
export interface PlatformTables {
  platform_administrator: {
    user_id: number;
    created_at: ColumnType<Date, Date | undefined, Date>;
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
    created_at: ColumnType<Date, Date | undefined, Date>;
  };
  identity_attempt: {
    state_hash: Buffer;
    site_id: number;
    nonce: string;
    verifier: string;
    expires_at: Date;
  };
}
