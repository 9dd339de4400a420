import { type Config, isServerUrl, nameDatabaseUrl, PASSWORD_HINT } from '../kernel/config.ts';
import { CommandError } from './commands/command.ts';

/** The database of a command, and the setting or option that gives its address; the embedded one without an address. */
export interface DatabasePlace {
  databaseUrl: string | undefined;
  dataDir: string;
  setting?: 'DATABASE_URL' | '--database-url' | '--to';
}

/** The database of `--database-url`, or that of the settings. @throws CommandError for another kind of URL */
export function chooseDatabase(option: string | undefined, { databaseUrl, dataDir }: Config): DatabasePlace {
  if (option === undefined) return { databaseUrl: databaseUrl?.reveal(), dataDir };
  if (!isServerUrl(option))
    throw new CommandError(`--database-url: a URL that starts with postgresql://, ${PASSWORD_HINT}`);
  return { databaseUrl: option, dataDir, setting: '--database-url' };
}

/** Runs work that opens the database, whose setting is named when the server cannot be reached or refuses the user. */
export const nameWhenRefused = <T>(
  { setting }: Pick<DatabasePlace, 'setting'>,
  work: Promise<T>,
): Promise<T> =>
  work.catch((error: unknown) => {
    throw nameDatabaseUrl(error, setting);
  });
