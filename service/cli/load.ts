import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { loadEntries, type LoadOptions } from './load/fill.ts';
import { openTarget } from './load/target.ts';
import { readAsOf, readNumber } from './read-options.ts';

const HELP = `Makes an entry type with twenty fields and fills it with drawn entries.

npm run --silent load -- --site SLUG [--type Prospect] [--entries 1000000] [--changes 0]
  [--seed 1] [--as-of 2026-11-20] [--database-url postgresql://...]

--changes: how many changes of values an entry has in its history, on average.
Without --database-url and DATABASE_URL it fills the embedded database in
DATA_DIR; stop the service first. On PostgreSQL readers of entries wait until
it has ended, where it makes ten times as many as there are or more.
`;

const OPTIONS = {
  site: { type: 'string' },
  type: { type: 'string', default: 'Prospect' },
  entries: { type: 'string', default: '1000000' },
  changes: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  'as-of': { type: 'string' },
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Exit codes: 0 done, 1 failed. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help || values.site === undefined) {
    process.stdout.write(HELP);
    return values.help ? 0 : 1;
  }
  const options: LoadOptions = {
    site: values.site,
    type: values.type,
    entries: readNumber('--entries', values.entries, 1, 10_000_000),
    changes: readNumber('--changes', values.changes, 0, 100),
    seed: readNumber('--seed', values.seed, 0, 2 ** 31 - 1),
    asOf: readAsOf(values['as-of']),
  };
  const config = readConfig(process.env);
  const databaseUrl = values['database-url'] ?? config.databaseUrl?.reveal();
  const target = await openTarget({ databaseUrl, dataDir: config.dataDir });
  try {
    const started = performance.now();
    const { changes } = await loadEntries(target, options);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      `Type ${options.type}: ${options.entries} entries, ${changes} changes, in ${seconds} s\n`,
    );
    return 0;
  } finally {
    await target.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
