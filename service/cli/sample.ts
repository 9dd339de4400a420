import { parseArgs } from 'node:util';
import { readConfig } from '../kernel/config.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { parseAsOfOption, parseNumberOption } from './parse-options.ts';
import { fillSample } from './sample/fill.ts';

const HELP = `Creates a site with sample data.

npm run sample -- [--users 500] [--seed 1] [--as-of 2026-11-20] [--database-url postgresql://...]

Without --database-url and DATABASE_URL the data go to the embedded database in
DATA_DIR; stop the service first.
`;

/** Returns the exit code: 0 done, 2 the database cannot be opened, for example because the service runs; errors exit with 1. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      'as-of': { type: 'string' },
      'database-url': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const users = parseNumberOption('--users', values.users, 1, 1_000_000);
  const seed = parseNumberOption('--seed', values.seed, 0, 2 ** 31 - 1);
  const asOf = parseAsOfOption(values['as-of']);
  const config = readConfig(process.env);
  const databaseUrl = values['database-url'] ?? config.databaseUrl?.reveal();
  const database = await openDatabase({ databaseUrl, dataDir: config.dataDir }).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  });
  if (!database) return 2;
  try {
    const { slug, activities } = await fillSample(database.db, { users, asOf, seed });
    process.stdout.write(
      `Site ${slug}: ${users} users, ${activities} activity records. No user has a password yet. To sign in, run:\n` +
        `npm run admin -- user make-admin EMAIL --site ${slug}\n`,
    );
    return 0;
  } finally {
    await database.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
