import type { Db } from '../db/database.ts';

/** Kinds of activity that the service writes (shapes 2, UserActivityQuery). */
export const ACTIVITY = {
  signedIn: 1,
  failed: 2,
  signedOut: 3,
  lockedOut: 5,
  forbidden: 7,
  switched: 9,
} as const;

/** Through what a user did it (shapes 2). */
export const SOURCE = { web: 1, api: 3 } as const;

export interface ActivityRow {
  siteId: number;
  /** Who really did it. */
  userId: number;
  kind: number;
  ip: string;
  /** For whom, where a proxy did it. */
  principalUserId?: number | undefined;
  /** By default the console. */
  source?: number;
}

/** One row of the activity report (spec 2.3): what, who, for whom, from where. */
export async function writeActivity(db: Db, row: ActivityRow): Promise<void> {
  await db
    .insertInto('activity')
    .values({
      site_id: row.siteId,
      user_id: row.userId,
      activity_type_id: row.kind,
      source_type_id: row.source ?? SOURCE.web,
      ip_address: row.ip,
      session_id: null,
      principal_user_id: row.principalUserId ?? null,
      export_data_type: null,
    })
    .execute();
}
