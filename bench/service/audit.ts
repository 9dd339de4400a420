/** The cost of the seals of the audit log: sealing while rows are written, sealing a row, and verifying one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { startPostgres } from '../../scripts/testing/postgres.ts';
import { insertAuditRows } from '../../service/kernel/audit/audit-log.store.ts';
import { sealAuditRows, verifyAuditChain } from '../../service/kernel/audit/chain.ts';
import { type Db, openDatabase, withTransaction } from '../../service/kernel/db/database.ts';
import { type Bench, measureRate, type Measure } from '../bench.ts';
import { createAuditRow } from './audit-row.ts';

const CALLERS = 8;
const ROUNDS = 4;
/** Far more often than in the service. */
const SEAL_INTERVAL_MS = 500;

const createRow = (siteId: number) => ({
  ...createAuditRow(siteId, crypto.randomUUID()),
  changes: { lastName: ['Okafor', 'Okafor-Lind'], groups: [[1, 2], [1]] },
});

async function insertSite(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into site (slug, name) values ('bench', 'Bench') returning site_id as id`.execute(db);
  return rows[0]?.id ?? 0;
}

async function measureDatabase(kind: string, databaseUrl: string | undefined): Promise<Measure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-bench-'));
  const { db, close } = await openDatabase({ databaseUrl, dataDir });
  try {
    const siteId = await insertSite(db);
    const write = () => withTransaction(db, {}, (tx) => insertAuditRows(tx, [createRow(siteId)]));
    // Sealing in between, as in the service, or not at all.
    const [sealed, unsealed] = [[], []] as number[][];
    for (let round = 0; round < ROUNDS; round += 1) {
      unsealed?.push(await measureRate(write, CALLERS, 2));
      const timer = setInterval(() => void sealAuditRows(db).catch(() => {}), SEAL_INTERVAL_MS);
      sealed?.push(await measureRate(write, CALLERS, 2));
      clearInterval(timer);
      await sealAuditRows(db);
    }
    await sql`truncate audit_log, audit_seal, audit_chain`.execute(db);
    await withTransaction(db, {}, (tx) =>
      insertAuditRows(
        tx,
        Array.from({ length: 20_000 }, () => createRow(siteId)),
      ),
    );
    const sealingStarted = performance.now();
    await sealAuditRows(db);
    const verifyingStarted = performance.now();
    const { rows } = await verifyAuditChain(db, siteId);
    const ended = performance.now();
    return [
      {
        name: `transactions with one audit row, ${kind}`,
        ours: Math.max(...(sealed ?? [])),
        floor: Math.max(...(unsealed ?? [])),
        unit: '1/s',
      },
      {
        name: `sealing a row, ${kind}`,
        ours: ((verifyingStarted - sealingStarted) * 1_000) / rows,
        unit: 'µs',
      },
      { name: `verifying a row, ${kind}`, ours: ((ended - verifyingStarted) * 1_000) / rows, unit: 'µs' },
    ];
  } finally {
    await close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

export const audit: Bench = {
  name: 'Seals of the audit log',
  peerName: 'without sealing',
  async run() {
    const cluster = await startPostgres();
    try {
      const embedded = await measureDatabase('embedded', undefined);
      return [...embedded, ...(await measureDatabase('postgres', cluster.url))];
    } finally {
      await cluster.stop();
    }
  },
};
