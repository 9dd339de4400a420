import { parseArgs } from 'node:util';
import { readConfig } from '../kernel/config.ts';
import { loadEntries, type LoadOptions } from './load/load-entries.ts';
import { openLoadTarget } from './load/target.ts';
import { parseAsOfOption, parseNumberOption } from './parse-options.ts';

const HELP = `Creates an entry type with twenty fields and fills it with random entries.

npm run --silent load -- --site SLUG [--type Prospect] [--entries 1000000] [--changes 0]
  [--seed 1] [--as-of 2026-11-20] [--database-url postgresql://...]

--changes: average number of changes in the history of an entry.
Without --database-url and DATABASE_URL the embedded database in DATA_DIR is
filled; stop the service first. On PostgreSQL, requests that read entries wait
until the load has finished if it creates at least ten times as many entries as
exist.
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

/** Exit codes: 0 success, 1 failure. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help || values.site === undefined) {
    process.stdout.write(HELP);
    return values.help ? 0 : 1;
  }
  const options: LoadOptions = {
    site: values.site,
    type: values.type,
    entries: parseNumberOption('--entries', values.entries, 1, 10_000_000),
    changes: parseNumberOption('--changes', values.changes, 0, 100),
    seed: parseNumberOption('--seed', values.seed, 0, 2 ** 31 - 1),
    asOf: parseAsOfOption(values['as-of']),
  };
  const config = readConfig(process.env);
  const databaseUrl = values['database-url'] ?? config.databaseUrl?.reveal();
  const target = await openLoadTarget({ databaseUrl, dataDir: config.dataDir });
  try {
    const startedAt = performance.now();
    const { changes } = await loadEntries(target, options);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
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
