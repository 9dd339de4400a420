import { readConfig } from '../kernel/config.ts';
import { openDatabase } from '../kernel/db/database.ts';
import type { CommandSyntax, OptionValues } from './commands/command.ts';
import { chooseDatabase, nameWhenRefused } from './database-option.ts';
import { parseAsOfOption, parseNumberOption } from './parse-options.ts';
import { fillSample } from './sample/fill.ts';

export const sampleSyntax = {
  name: 'sample',
  summary: 'Create a site with sample data',
  details:
    'Without a PostgreSQL the data go to the embedded database in DATA_DIR; stop the service first. No user of the site has a ' +
    'password: make one an administrator with user make-admin.',
  options: {
    users: { type: 'string', value: 'number', description: 'default: 500' },
    seed: { type: 'string', value: 'number', description: 'default: 1' },
    'as-of': { type: 'string', value: 'date', description: 'such as 2026-11-20; default: now' },
    'database-url': { type: 'string', value: 'url', description: 'instead of DATABASE_URL' },
  },
} as const satisfies CommandSyntax;

/** Runs the command. @throws Error */
export async function createSample(values: OptionValues<typeof sampleSyntax.options>): Promise<unknown> {
  const users = parseNumberOption('--users', values.users ?? '500', 1, 1_000_000);
  const seed = parseNumberOption('--seed', values.seed ?? '1', 0, 2 ** 31 - 1);
  const asOf = parseAsOfOption(values['as-of']);
  const place = chooseDatabase(values['database-url'], readConfig(process.env));
  const database = await nameWhenRefused(place, openDatabase(place));
  try {
    const { slug, activities } = await fillSample(database.db, { users, asOf, seed });
    return { site: slug, users, activities };
  } finally {
    await database.close();
  }
}
