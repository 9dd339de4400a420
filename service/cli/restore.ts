import { parseArgs } from 'node:util';
import { InvalidBackupError } from '../areas/backups/index.ts';
import { readConfig } from '../kernel/config.ts';
import { CommandError } from './commands/command.ts';
import { formatReport } from './restore/report.ts';
import { openAndReadBackup, restoreBackup } from './restore/restore-backup.ts';
import { openRestoreTarget } from './restore/target.ts';
import { verifyBackup } from './restore/verify-backup.ts';

const HELP = `Restores a backup to an empty or a new site, completely or not at all.

npm run --silent restore -- FILE --site SLUG [--dry-run] [--database-url postgresql://...]
npm run --silent restore -- FILE --verify

--dry-run: reads the whole file, checks the site, and writes nothing.
--verify: restores into a temporary database and compares the result with the
file; needs no site and changes none.
The report is printed as JSON on stdout and as text on stderr.

Without --database-url and DATABASE_URL the embedded database in DATA_DIR is
used, which only one process can open: stop the service first. On PostgreSQL
the service can keep running. DATA_DIR must be that of the service: files of
entries are stored there.
`;

const OPTIONS = {
  site: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  verify: { type: 'boolean', default: false },
  'database-url': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Fires when the service that started this process ends, which closes stdin; undefined when started by hand. */
function createParentExitSignal(): AbortSignal | undefined {
  if (process.env['STEWARD_ATTACHED'] !== '1') return undefined;
  const controller = new AbortController();
  process.stdin.resume().once('end', () => controller.abort());
  // Stdin must not keep the process alive.
  if ('unref' in process.stdin) process.stdin.unref();
  return controller.signal;
}

/** Exit codes: 0 success, 1 rejected, 2 failed. */
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
    throw new CommandError('--site: lower-case letters, digits and dashes, such as northlight');
  const config = readConfig(process.env);
  const { dataDir } = config;
  const signal = createParentExitSignal();
  const file = await openAndReadBackup(path);
  try {
    if (values.site === undefined) {
      await verifyBackup(file, dataDir, signal);
      process.stderr.write('The backup was restored to a temporary database and matches its manifest.\n');
      return 0;
    }
    const databaseUrl = values['database-url'] ?? config.databaseUrl?.reveal();
    const target = await openRestoreTarget({ databaseUrl, dataDir });
    try {
      const report = await restoreBackup(target, file, {
        dataDir,
        slug: values.site,
        isDryRun: values['dry-run'],
      });
      process.stdout.write(`${JSON.stringify(report)}\n`);
      process.stderr.write(formatReport(report));
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
  process.exitCode = error instanceof InvalidBackupError || error instanceof CommandError ? 1 : 2;
}
