import './kernel/auth/hash-threads.ts';
import { setFlagsFromString } from 'node:v8';
import { createApp, CONTRACT_FILE } from './app.ts';
import { registry } from './areas/registry.ts';
import { listenAdminSocket } from './cli/admin-socket.ts';
import { describeFirstStart, runFirstStart } from './first-start.ts';
import { loadEncryption } from './kernel/auth/encryption.ts';
import { nameDatabaseUrl, nameDataDir, nameSettings, readConfig, type Config } from './kernel/config.ts';
import { createFolder } from './kernel/create-folder.ts';
import { openDatabase } from './kernel/db/database.ts';
import { DatabaseFolderError } from './kernel/db/pglite/copies.ts';
import { openBlobStore } from './kernel/files/open-store.ts';
import { loadContract } from './kernel/http/contract.ts';
import type { Services } from './kernel/http/handler.ts';
import { createInstallation } from './kernel/installation/installation.ts';
import { startMetricsServer } from './kernel/installation/metrics-server.ts';
import { loadMetrics } from './kernel/installation/metrics.store.ts';
import { endAllLeases } from './kernel/jobs/jobs.store.ts';
import { createJobTasks } from './kernel/jobs/run-jobs.ts';
import { startMailWorker } from './kernel/mail/mail-worker.ts';
import { createEgress } from './kernel/network/egress.ts';
import { notifyAboutParkedWork } from './kernel/notifications.store.ts';
import { createCopyTask } from './kernel/tasks/copy-task.ts';
import { createHeartbeatTask, PROCESS_ID } from './kernel/tasks/heartbeat-task.ts';
import { deleteProcess } from './kernel/tasks/processes.store.ts';
import { describeError } from './kernel/tasks/run-in-turns.ts';
import { startScheduledTasks } from './kernel/tasks/scheduled-tasks.ts';
import { createLog } from './kernel/telemetry/log.ts';

/** Throws an error with the names of the settings that it is about. */
const failFor = (settings: string) => (error: unknown) => {
  throw nameSettings(settings, error);
};

/** Starts the service: database, first start, background work, app, admin socket, graceful stop. */
async function main(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  await createFolder(config.dataDir).catch(failFor('DATA_DIR'));
  const database = await openDatabase({
    ...config,
    databaseUrl: config.databaseUrl?.reveal(),
    reads: config.reads && { ...config.reads, databaseUrl: config.reads.databaseUrl.reveal() },
    advice: { copiesFolder: config.copies?.folder },
  }).catch((error: unknown) => {
    // The terminal gets the message without the cause.
    if (error instanceof DatabaseFolderError) log.error({ err: error }, 'The database cannot be opened');
    throw nameDatabaseUrl(nameDataDir(error));
  });
  // `npm start` limits the young generation of this thread. Threads started from here on follow their own `resourceLimits`, which the
  // flag would override; the thread of the embedded database has started.
  setFlagsFromString('--max-semi-space-size=0');
  const blobs = await openBlobStore(config);
  const isTerminal = process.stdout.isTTY;
  const firstStart = await runFirstStart(database.db, config, isTerminal);
  const mailWorker = startMailWorker({ db: database.db, config, log });
  const services: Services = {
    publicUrl: config.publicUrl,
    dataDir: config.dataDir,
    blobs,
    storageQuota: config.storageQuota,
    logRetention: config.logRetention,
    officeProgram: config.officeProgram,
    installation: createInstallation(process.env, config, {
      database,
      place: { dataDir: config.dataDir, blobs },
    }),
    egress: createEgress({ rules: config.egressRules, log }),
    backupSheets: Object.values(registry.sheets),
    mailExamples: registry.mailExamples,
    jobKinds: registry.jobKinds,
    encryption: await loadEncryption({ dataDir: config.dataDir, key: config.secretKey?.reveal() }).catch(
      (error: unknown) => {
        throw nameDataDir(error);
      },
    ),
    wakeTask: (name) => scheduler.wake(name),
  };
  const contract = loadContract(CONTRACT_FILE);
  const { db } = database;
  if (config.databaseUrl === undefined) await endAllLeases(db);
  const heartbeats = createHeartbeatTask(db, {
    maxConnections: database.kind === 'embedded' ? 1 : config.pool.maxConnections,
    recordsWrites: config.reads !== undefined,
  });
  // Before the process writes anything: the others must know whether it records writes.
  await heartbeats.run(new AbortController().signal);
  const scheduler = startScheduledTasks({
    log,
    onParked: async ({ name: task }, { siteId, error }) => {
      if (siteId === null) return;
      await notifyAboutParkedWork(db, config.publicUrl, { siteId, task, reason: describeError(error) }).catch(
        (failure: unknown) => log.error({ err: failure, siteId, task }, 'Nobody was notified'),
      );
    },
    tasks: [
      heartbeats,
      ...(config.copies && database.copyTo
        ? [createCopyTask({ ...config.copies, copyTo: database.copyTo, log })]
        : []),
      ...registry.createTasks({ db, services }),
      ...createJobTasks({
        db,
        log,
        kinds: registry.jobKinds,
        operations: contract.operations,
        publicUrl: config.publicUrl,
        wakeTask: (name) => services.wakeTask(name),
        files: services,
      }),
    ],
  });
  const app = await createApp({
    contract,
    database,
    services,
    trustedProxies: config.trustedProxies,
    log,
  });
  const admin = await listenAdminSocket({
    dataDir: config.dataDir,
    blobs,
    publicUrl: config.publicUrl,
    db: database.db,
    createTasks: async () => registry.createTasks({ db, services }),
    log,
  });
  const metrics =
    config.metrics &&
    (await startMetricsServer({ database, log, ...config.metrics }).catch(
      failFor('METRICS_HOST and METRICS_PORT'),
    ));
  if (metrics) log.info({ address: metrics.address }, 'serving metrics');
  // Loaded only here: the packages take time and memory.
  const telemetry =
    config.telemetry &&
    (await import('./kernel/telemetry/otlp.ts')).startTelemetry(config.telemetry, () =>
      loadMetrics(database),
    );
  const address = await app.listen({ host: config.host, port: config.port }).catch(failFor('HOST and PORT'));
  log.info({ address, publicUrl: config.publicUrl, database: database.kind }, 'listening');
  const isNpmScript = Boolean(process.env['npm_lifecycle_event']);
  process.stdout.write(
    `\nSteward is at ${config.publicUrl}\n${describeFirstStart(firstStart, isNpmScript)}\n`,
  );

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    const delayMs = config.stopDelaySeconds * 1_000;
    setTimeout(
      () => {
        log.error('Stopping took too long; requests may have been lost');
        process.exit(1);
      },
      delayMs + config.stopTimeoutSeconds * 1_000,
    ).unref();
    await app.drain.run({ delayMs, onListenerClosed: () => log.info('no longer listening') });
    await app.close();
    await metrics?.close();
    await telemetry?.stop();
    await admin.close();
    await scheduler.stop();
    await mailWorker.stop();
    // Without the database the process is shown as silent, and forgotten after an hour.
    await deleteProcess(db, PROCESS_ID).catch((error: unknown) =>
      log.warn({ err: error }, 'The process could not be deleted from the list of processes'),
    );
    await database.close();
    blobs.close();
    log.info('stopped');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));
}

if (Number(process.versions.node.split('.')[0]) < 26) {
  process.stderr.write(
    'Steward requires Node 26, which is installed with its packages: start it with npm start\n',
  );
  process.exit(1);
}
try {
  await main(readConfig(process.env));
} catch (error) {
  // For a terminal: the message without the stack.
  process.stderr.write(`Steward cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error)
    process.stderr.write(`${error.stack}\n`);
  process.exit(1);
}
