import { parseArgs } from 'node:util';
import { RefusedFile } from '../areas/backups/index.ts';
import { readConfig } from '../config.ts';
import { CommandError } from './commands/command.ts';
import { checkBackup } from './restore/check.ts';
import { inWords } from './restore/report.ts';
import { openWhole, restoreBackup } from './restore/run.ts';
import { openTarget } from './restore/target.ts';

const HELP = `Restores a backup to an empty or a new site: all of it or nothing.

npm run --silent restore -- FILE --site SLUG [--dry-run] [--database-url postgresql://...]
npm run --silent restore -- FILE --verify

--dry-run: reads the whole file, looks at the site, and writes nothing.
--verify: restores into a database that is thrown away and compares the result
with the file; no site is needed, and none is touched.
The report is printed as JSON, and in words on the standard error.

Without --database-url and DATABASE_URL it goes to the embedded database in
DATA_DIR. That has one opener, and a restore would keep it from everybody for as
long as it takes: stop the service first. On PostgreSQL the service goes on.
DATA_DIR must be that of the service: files of entries are put there.
`;

const OPTIONS = {
  site: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  verify: { type: 'boolean', default: false },
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Ends with the service that started it, which holds the other end of the input. */
function attached(): AbortSignal | undefined {
  if (process.env['STEWARD_ATTACHED'] !== '1') return undefined;
  const ended = new AbortController();
  process.stdin.resume().once('end', () => ended.abort());
  // It keeps nobody waiting when the work is done.
  if ('unref' in process.stdin) process.stdin.unref();
  return ended.signal;
}

/** Exit codes: 0 done, 1 refused, 2 failed. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [path, ...rest] = positionals;
  if (
    values.help ||
    path === undefined ||
    rest.length > 0 ||
    (values.site === undefined) === !values.verify
  ) {
    process.stdout.write(HELP);
    return values.help ? 0 : 1;
  }
  if (values.site !== undefined && !SLUG.test(values.site))
    throw new CommandError('--site: small letters, digits and dashes, such as northlight');
  const config = readConfig(process.env);
  const { dataDir } = config;
  const signal = attached();
  const file = await openWhole(path);
  try {
    if (values.site === undefined) {
      await checkBackup(file, dataDir, signal);
      process.stderr.write('The backup was restored elsewhere and is what it tells.\n');
      return 0;
    }
    const databaseUrl = values['database-url'] ?? config.databaseUrl?.reveal();
    const target = await openTarget({ databaseUrl, dataDir });
    try {
      const report = await restoreBackup(target, file, {
        dataDir,
        slug: values.site,
        isDryRun: values['dry-run'],
      });
      process.stdout.write(`${JSON.stringify(report)}\n`);
      process.stderr.write(inWords(report));
      return 0;
    } finally {
      await target.close();
    }
  } finally {
    file.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof RefusedFile || error instanceof CommandError ? 1 : 2;
}
