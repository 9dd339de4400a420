import { readConfig } from '../kernel/config.ts';
import { getErrorCode } from '../kernel/error-code.ts';
import { openBlobStore } from '../kernel/files/open-store.ts';
import { CommandError, type CommandSyntax, type OptionValues } from './commands/command.ts';
import { chooseDatabase } from './database-option.ts';
import { createVerificationReport, formatReport } from './restore/report.ts';
import { openAndReadBackup, restoreBackup } from './restore/restore-backup.ts';
import { openRestoreTarget } from './restore/target.ts';
import { ENDED_EARLY, verifyBackup } from './restore/verify-backup.ts';

export const restoreSyntax = {
  name: 'restore',
  args: '<file>',
  summary: 'Restore a backup to an empty or a new site, completely or not at all',
  details:
    'Prints the report on stdout. Without a PostgreSQL the embedded database in DATA_DIR is used: stop the service first. On ' +
    'PostgreSQL the service can keep running. DATA_DIR and BLOB_STORE must be those of the service: files of entries are stored there.',
  options: {
    site: { type: 'string', value: 'slug', description: 'site to restore to; required without --verify' },
    'dry-run': { type: 'boolean', description: 'read the whole file, check the site, and write nothing' },
    verify: {
      type: 'boolean',
      description: 'restore into a temporary database and compare the result with the file; changes no site',
    },
    'database-url': { type: 'string', value: 'url', description: 'instead of DATABASE_URL' },
  },
} as const satisfies CommandSyntax;

/** Codes of paths that are wrong. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES']);
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Exit codes of a process that a signal ended, as shells have them. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Fires, with the exit code, when a verification is to end: by a signal or, if the service started this process, when the service ends,
 * which closes stdin. Ctrl-C in its terminal reaches both; then the service decides, which would take the end for a failed verification.
 */
function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  const isAttached = process.env['STEWARD_ATTACHED'] === '1';
  if (isAttached) {
    process.on('SIGINT', () => {});
    process.stdin.resume().once('end', () => controller.abort(ENDED_EARLY));
    // Stdin must not keep the process alive.
    if ('unref' in process.stdin) process.stdin.unref();
  } else
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => controller.abort(SIGNAL_CODES[signal]));
  return controller.signal;
}

/**
 * Runs the command: restores the file, or verifies it.
 * @throws CommandError, InvalidBackupError when it is refused; any other error when it failed
 */
export async function restore(
  path: string,
  values: OptionValues<typeof restoreSyntax.options>,
): Promise<{ text: string; report: unknown }> {
  const slug = values.site;
  if ((slug === undefined) === !values.verify) throw new CommandError('Give either --site SLUG or --verify');
  if (slug !== undefined && !SLUG.test(slug))
    throw new CommandError('--site: lower-case letters, digits and dashes, such as northlight');
  const config = readConfig(process.env);
  const { dataDir } = config;
  const place = chooseDatabase(values['database-url'], config);
  const file = await openAndReadBackup(path).catch((error: unknown) => {
    const code = getErrorCode(error);
    throw code !== undefined && UNREADABLE.has(code)
      ? new CommandError(`${path} cannot be read (${code})`)
      : error;
  });
  try {
    if (slug === undefined) {
      await verifyBackup(file, dataDir, createStopSignal());
      return {
        text: 'The backup was restored to a temporary database and matches its manifest.\n',
        report: createVerificationReport(file.manifest),
      };
    }
    const blobs = await openBlobStore(config);
    const target = await openRestoreTarget(place);
    try {
      const isDryRun = values['dry-run'] ?? false;
      const report = await restoreBackup(target, file, { dataDir, blobs, slug, isDryRun });
      return { text: formatReport(report), report };
    } finally {
      await target.close();
      blobs.close();
    }
  } finally {
    file.close();
  }
}
