import { isServerUrl, PASSWORD_HINT, readConfig } from '../kernel/config.ts';
import { withTransaction } from '../kernel/db/database.ts';
import { CommandError, type CommandSyntax, type OptionValues } from './commands/command.ts';
import { moveDatabase } from './move/move-database.ts';
import { lockForMove, type MovePlace } from './move/move-lock.ts';
import { isMoveTarget, removeMark } from './move/move.store.ts';
import { openRestoreTarget } from './restore/target.ts';

export const moveSyntax = {
  name: 'move',
  summary: 'Move everything to another database',
  details:
    'From the embedded database in DATA_DIR, or the one of DATABASE_URL, to an empty database; stop the service first. Files stay ' +
    'in DATA_DIR. An interrupted move continues when the same command is run again.',
  options: {
    to: { type: 'string', value: 'url', description: 'the PostgreSQL database, or embedded' },
    restart: { type: 'boolean', description: 'copy everything again, after the source was used meanwhile' },
    stay: { type: 'boolean', description: 'use this database again, although its data were moved' },
  },
} as const satisfies CommandSyntax;

/** The address of a database without its password. */
function describeTarget(databaseUrl: string | undefined): string {
  const url = databaseUrl === undefined ? null : URL.parse(databaseUrl);
  return url === null ? 'the embedded database' : `${url.host}${url.pathname}`;
}

interface MoveTask {
  databaseUrl: string | undefined;
  /** Undefined for the embedded database. */
  targetUrl: string | undefined;
  dataDir: string;
  restarts: boolean;
}

async function move(
  { databaseUrl, targetUrl, dataDir, restarts }: MoveTask,
  writeNote: (text: string) => void,
): Promise<unknown> {
  const startedAt = performance.now();
  const source = await openRestoreTarget({ databaseUrl, dataDir, acceptsMoved: true });
  try {
    const target = await openRestoreTarget({
      databaseUrl: targetUrl,
      dataDir,
      setting: '--to',
      acceptsMoved: true,
    });
    try {
      const targetName = describeTarget(targetUrl);
      let [table, copied] = ['', 0];
      const report = await moveDatabase(source.db, target, {
        targetName,
        restarts,
        onProgress: (name, rows) => {
          copied = (name === table ? copied : 0) + rows;
          table = name;
          if (rows > 0) writeNote(`${name}: ${copied} rows\n`);
        },
      });
      const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
      return { target: targetName, ...report, seconds };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function stay({ databaseUrl, dataDir }: Pick<MoveTask, 'databaseUrl' | 'dataDir'>): Promise<unknown> {
  const source = await openRestoreTarget({ databaseUrl, dataDir, acceptsMoved: true });
  try {
    if (await isMoveTarget(source.db))
      throw new CommandError('The move into this database has not finished: it lacks rows');
    await withTransaction(source.db, {}, removeMark);
    return { database: describeTarget(databaseUrl), state: 'in use' };
  } finally {
    await source.close();
  }
}

/** Runs the command. @throws CommandError when it is refused */
export async function runMove(
  values: OptionValues<typeof moveSyntax.options>,
  writeNote: (text: string) => void,
): Promise<unknown> {
  if ((values.to === undefined) === !values.stay) throw new CommandError('Give either --to or --stay');
  const { databaseUrl: secret, dataDir } = readConfig(process.env);
  const databaseUrl = secret?.reveal();
  const targetUrl = values.to === 'embedded' ? undefined : values.to;
  if (values.to !== undefined && targetUrl === databaseUrl)
    throw new CommandError('--to: this is the database of the settings');
  if (targetUrl !== undefined && !isServerUrl(targetUrl))
    throw new CommandError(`--to: embedded, or a URL that starts with postgresql://, ${PASSWORD_HINT}`);
  const places: MovePlace[] = [{ databaseUrl, setting: 'DATABASE_URL' }];
  if (values.to !== undefined) places.push({ databaseUrl: targetUrl, setting: '--to' });
  const unlock = await lockForMove(places);
  try {
    if (values.to === undefined) return await stay({ databaseUrl, dataDir });
    return await move({ databaseUrl, targetUrl, dataDir, restarts: values.restart ?? false }, writeNote);
  } finally {
    await unlock();
  }
}
