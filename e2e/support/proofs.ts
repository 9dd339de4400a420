import { sql } from 'kysely';
import { openDatabase } from '../../service/kernel/db/database.ts';
import type { Service } from './service.ts';

/** Eleven minutes pass for every session, and nothing else: while the service rests, for it holds its database. */
export async function letProofsAge(service: Service): Promise<void> {
  await service.stop();
  const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl } = service.place;
  const database = await openDatabase({ dataDir, databaseUrl });
  await sql`update session set proven_at = now() - interval '11 minutes'`.execute(database.db);
  await database.close();
  await service.start();
}
