import { mkdir } from 'node:fs/promises';
import { createApp } from './app.ts';
import { choresOf } from './chores.ts';
import { listenAdminSocket } from './cli/admin-socket.ts';
import { readConfig, type Config } from './config.ts';
import { firstStart } from './first-start.ts';
import { openSeals } from './kernel/auth/seals.ts';
import { openDatabase } from './kernel/db/database.ts';
import type { Services } from './kernel/http/handler.ts';
import { startChores } from './kernel/jobs/chores.ts';
import { createLog } from './kernel/log.ts';
import { startMailWorker } from './kernel/mail/worker.ts';

/** What is under way gets this long at a stop; then the process ends all the same. */
const STOP_MS = 10_000;

/** config → database → app → listen → graceful stop. */
async function main(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const database = await openDatabase({ databaseUrl: config.databaseUrl?.reveal(), dataDir: config.dataDir });
  const { link } = await firstStart(database.db, config);
  const mail = startMailWorker({ db: database.db, config, log });
  const services: Services = {
    publicUrl: config.publicUrl,
    dataDir: config.dataDir,
    seals: await openSeals({ dataDir: config.dataDir, key: config.secretKey?.reveal() }),
    wakeMail: mail.wake,
    wakeChore: (name) => chores.wake(name),
  };
  const chores = startChores({ log, chores: choresOf({ db: database.db, services }) });
  const app = await createApp({
    database,
    services,
    trustedProxies: config.trustedProxies,
    log,
  });
  const admin = await listenAdminSocket({
    dataDir: config.dataDir,
    publicUrl: config.publicUrl,
    db: database.db,
    log,
  });
  await app.listen({ host: config.host, port: config.port });
  log.info({ address: config.publicUrl, database: database.kind }, 'listening');
  if (link)
    process.stdout.write(
      `\nSteward is at ${config.publicUrl}\nMake the first administrator here (once, within 24 hours):\n  ${link}\n\n`,
    );
  else process.stdout.write(`\nSteward is at ${config.publicUrl}\n\n`);

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await app.close();
    await admin.close();
    await chores.stop();
    await mail.stop();
    await database.close();
    log.info('stopped');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));
}

if (Number(process.versions.node.split('.')[0]) < 26) {
  process.stderr.write('Steward runs on Node 26, which its packages bring along: start it with npm start\n');
  process.exit(1);
}
try {
  await main(readConfig(process.env));
} catch (error) {
  // A person reads this at a terminal: the reason, not the insides.
  process.stderr.write(`Steward cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error)
    process.stderr.write(`${error.stack}\n`);
  process.exit(1);
}
