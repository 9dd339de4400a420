/** A process that writes events, fills custom topics or delivers to destinations, until a fault or a test ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeliveryTask } from '../../areas/publications/destinations/deliver.ts';
import { createFillTask } from '../../areas/publications/fill-topics.ts';
import { createEncryption } from '../../kernel/auth/encryption.ts';
import { type Db, openDatabase, withTransaction } from '../../kernel/db/database.ts';
import { createEgress, parseEgressRules } from '../../kernel/network/egress.ts';
import { publishEvents } from '../../kernel/outbox/events.store.ts';
import { createLog } from '../../kernel/telemetry/log.ts';
import { runTask } from '../tasks.ts';
import { injectFault, type JobProcessTask } from './job-process.ts';

export interface PublicationTask {
  role: 'write' | 'fill' | 'deliver';
  databaseUrl: string;
  siteId: number;
  /** Key of the encryption of secrets, as base64. */
  key: string;
  /** Events of one transaction of a writer; 1 by default. */
  batchSize?: number;
  fault?: JobProcessTask['fault'];
}

export interface PublicationProcess {
  child: ChildProcess;
  exited: Promise<unknown>;
  /** Lines that the process has printed: `round`, or the number of events that a writer has committed. */
  lines: readonly string[];
  /** Resolves when the process has printed this line. @throws Error when it ends before */
  waitFor(line: string): Promise<void>;
}

/** Entry type and field of the events that a writer publishes; every 50th event of a transaction is of the rare field. */
export const WRITTEN = { entryTypeId: 5, fieldId: 7, rareFieldId: 8 };
/** One of so many events of a transaction is of the rare field. */
export const RARE_EVERY = 50;

/** Commits data events with one cell each. */
export const publishCells = (db: Db, siteId: number, values: readonly unknown[]): Promise<void> =>
  withTransaction(db, {}, async (tx) =>
    publishEvents(
      tx,
      { siteId, userId: null, email: null },
      values.map((value, index) => ({
        topic: 'default-data',
        entityType: 'Data',
        kind: 'updated',
        isCalculated: false,
        entryListId: WRITTEN.entryTypeId,
        entries: [
          {
            entryId: index + 1,
            entryName: 'E',
            cells: [
              {
                fieldId: index % RARE_EVERY === RARE_EVERY - 1 ? WRITTEN.rareFieldId : WRITTEN.fieldId,
                apiName: 'F',
                value,
              },
            ],
          },
        ],
      })),
    ),
  );

/** Starts a process with its task. */
export function startPublicationProcess(task: PublicationTask): PublicationProcess {
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(task));
  const printed: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => printed.push(line));
  const closed = once(lines, 'close').then(() => undefined);
  return {
    child,
    lines: printed,
    exited: Promise.all([once(child, 'exit'), closed]),
    async waitFor(line) {
      while (!printed.includes(line)) {
        const next = await Promise.race([once(lines, 'line'), closed]);
        if (!next && !printed.includes(line)) throw new Error(`The process ended without "${line}"`);
      }
    },
  };
}

const PAUSE_MS = 5;

async function run({
  role,
  databaseUrl,
  siteId,
  key,
  batchSize = 1,
  fault,
}: PublicationTask): Promise<never> {
  const { db } = await openDatabase({ databaseUrl, dataDir: '' });
  const services = {
    publicUrl: 'http://steward.test',
    encryption: createEncryption(Buffer.from(key, 'base64')),
    egress: createEgress({ rules: parseEgressRules('127.0.0.1') ?? [], log: createLog('silent') }),
  };
  const tasks = { fill: createFillTask({ db }), deliver: createDeliveryTask({ db, services }) };
  if (fault) injectFault(fault);
  for (let round = 1; ; round += 1) {
    if (role === 'write') {
      await publishCells(db, siteId, Array(batchSize).fill(`${process.pid} ${round}`));
      writeSync(1, `${batchSize}\n`);
    } else {
      // A connection that is taken from the process fails the round, as in the service.
      await runTask(tasks[role]).catch(() => {});
      writeSync(1, 'round\n');
      await sleep(PAUSE_MS);
    }
  }
}

if (import.meta.main) {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  await run(JSON.parse(text) as PublicationTask);
}
