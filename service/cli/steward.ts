import { CommanderError } from 'commander';
import { InvalidBackupError } from '../areas/backups/index.ts';
import { ApiError } from '../kernel/api-error.ts';
import { loadEncryption } from '../kernel/auth/encryption.ts';
import { type Config, ConfigError, nameDatabaseUrl, nameDataDir, readConfig } from '../kernel/config.ts';
import { type Db, openDatabase } from '../kernel/db/database.ts';
import { getErrorCode } from '../kernel/error-code.ts';
import type { BlobStore } from '../kernel/files/blob-store.ts';
import { openBlobStore } from '../kernel/files/open-store.ts';
import { createEgress } from '../kernel/network/egress.ts';
import type { ScheduledTask } from '../kernel/tasks/scheduled-tasks.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { sendCommand } from './admin-socket.ts';
import { CommandError } from './commands/command.ts';
import { runCommand } from './commands/index.ts';
import { formatResult } from './print.ts';
import { createProgram, EXIT_CODES } from './program.ts';

const isRefusal = (error: unknown): boolean =>
  error instanceof CommandError ||
  error instanceof ApiError ||
  error instanceof ConfigError ||
  error instanceof InvalidBackupError;

const program = createProgram({
  runOnDatabase,
  write: (text) => process.stdout.write(text),
  writeNote: (text) => process.stderr.write(text),
  setExitCode: (code) => (process.exitCode = code),
});

/** Runs a command in the service that holds the embedded database, or in this process. @returns the exit code */
async function runOnDatabase(words: readonly string[]): Promise<number> {
  const config = readConfig(process.env);
  const { databaseUrl, dataDir } = config;
  const reply = databaseUrl === undefined ? await sendCommand(dataDir, words) : undefined;
  if (!reply) return printResult(await runHere(config, words));
  if ('result' in reply) return printResult(reply.result);
  process.stderr.write(`${'refused' in reply ? reply.refused : reply.failed}\n`);
  return 'refused' in reply ? EXIT_CODES.refused : EXIT_CODES.failed;
}

async function runHere(config: Config, words: readonly string[]): Promise<unknown> {
  const database = await openDatabase({
    ...config,
    databaseUrl: config.databaseUrl?.reveal(),
    reads: undefined,
    advice: { copiesFolder: config.copies?.folder },
  }).catch((error: unknown) => {
    throw nameDatabaseUrl(nameDataDir(error));
  });
  const { db } = database;
  const blobs = await openBlobStore(config);
  try {
    // The service may use another port than the default one: only a setting says where it is.
    const isAddressSet = Boolean(process.env['PUBLIC_URL'] || process.env['PORT']);
    const context = {
      db,
      dataDir: config.dataDir,
      blobs,
      publicUrl: isAddressSet ? config.publicUrl : undefined,
      createTasks: () => createTasks(config, db, blobs),
    };
    return await runCommand(context, words);
  } finally {
    await database.close();
    blobs.close();
  }
}

/** The scheduled tasks of all areas. Nothing is woken: a running service looks for work by itself. */
async function createTasks(config: Config, db: Db, blobs: BlobStore): Promise<readonly ScheduledTask[]> {
  const { registry } = await import('../areas/registry.ts');
  const services = {
    publicUrl: config.publicUrl,
    dataDir: config.dataDir,
    blobs,
    storageQuota: config.storageQuota,
    logRetention: config.logRetention,
    officeProgram: config.officeProgram,
    egress: createEgress({ rules: config.egressRules, log: createLog('silent') }),
    backupSheets: Object.values(registry.sheets),
    jobKinds: registry.jobKinds,
    mailExamples: registry.mailExamples,
    encryption: await loadEncryption({ dataDir: config.dataDir, key: config.secretKey?.reveal() }),
    wakeTask: () => {},
  };
  return registry.createTasks({ db, services });
}

function printResult(result: unknown): number {
  process.stdout.write(
    program.opts()['json'] === true ? `${JSON.stringify(result)}\n` : formatResult(result),
  );
  return EXIT_CODES.done;
}

// The reader has seen enough, such as `head`; results are printed last.
process.stdout.on('error', (error) => {
  if (getErrorCode(error) !== 'EPIPE') throw error;
  process.exit();
});

if (Number(process.versions.node.split('.')[0]) < 26) {
  process.stderr.write(
    'Steward requires Node 26, which is installed with its packages: npm run steward -- help\n',
  );
  process.exit(EXIT_CODES.failed);
}
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed the help or the reason.
    process.exitCode = error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.refused;
  } else {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = isRefusal(error) ? EXIT_CODES.refused : EXIT_CODES.failed;
  }
}
