import { sql } from 'kysely';
import { openDatabase } from '../../service/kernel/db/database.ts';
import type { Service } from './service.ts';

/**
 * Makes the proofs of presence of all sessions eleven minutes old. Stops the service meanwhile, because it holds the
 * database.
 */
export async function expireProofs(service: Service): Promise<void> {
  await service.stop();
  const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl } = service.storageEnv;
  const database = await openDatabase({ dataDir, databaseUrl });
  await sql`update session set proven_at = now() - interval '11 minutes'`.execute(database.db);
  await database.close();
  await service.start();
}
