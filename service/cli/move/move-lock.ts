import { Client } from 'pg';
import { nameDatabaseUrl } from '../../kernel/config.ts';
import { toDbError } from '../../kernel/db/driver/errors.ts';
import { CommandError } from '../commands/command.ts';
import type { DatabasePlace } from '../database-option.ts';

/** Advisory lock of a move from a database or into it; no other lock of the service uses the key. */
const MOVE_LOCK_KEY = 7_411;
const CONNECTION_TIMEOUT_MS = 10_000;

/** A database of a move. */
export type MovePlace = Pick<DatabasePlace, 'databaseUrl'> & { setting: 'DATABASE_URL' | '--to' };

/**
 * Takes the lock of a server for as long as its connection is open, so that it also ends with a killed process. The folder of the embedded
 * database has a lock of its own. @returns undefined if another session has the lock
 */
async function lock({ databaseUrl, setting }: MovePlace): Promise<(() => Promise<void>) | undefined> {
  if (databaseUrl === undefined) return async () => {};
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'steward move',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    // The connection has nothing to do until the end of the move.
    options: '-c idle_session_timeout=0',
  });
  // The connections of the move notice that the server has ended.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ isLocked: boolean }>(
      'select pg_try_advisory_lock($1::bigint) as "isLocked"',
      [MOVE_LOCK_KEY],
    );
    if (rows[0]?.isLocked) return () => client.end();
  } catch (error) {
    await client.end().catch(() => {});
    throw nameDatabaseUrl(toDbError(error), setting);
  }
  await client.end();
  return undefined;
}

/**
 * Locks the databases of a move against another one, before any of them is opened and changed.
 * @throws CommandError when another move uses one of them, or both are the same
 */
export async function lockForMove(places: readonly MovePlace[]): Promise<() => Promise<void>> {
  const unlocks: (() => Promise<void>)[] = [];
  const unlockAll = async () => void (await Promise.all(unlocks.splice(0).map((unlock) => unlock())));
  for (const place of places) {
    const unlock = await lock(place).catch(async (error: unknown) => {
      await unlockAll();
      throw error;
    });
    if (unlock) {
      unlocks.push(unlock);
      continue;
    }
    const isSecond = unlocks.length > 0;
    await unlockAll();
    // The other session may be that of the first place: two names of one database.
    const unlockAgain = isSecond ? await lock(place) : undefined;
    await unlockAgain?.();
    throw new CommandError(
      unlockAgain
        ? `${place.setting}: this is the database of the settings`
        : `Another steward move uses the database of ${place.setting}: wait until it has ended`,
    );
  }
  return unlockAll;
}
