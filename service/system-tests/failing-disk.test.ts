/** A PostgreSQL server whose disk fails or does not answer, under writes of a service, for `npm run proof`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startPostgres } from '../../scripts/testing/postgres.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { DATA, makeThings, type Things } from '../testing/entries/entries.ts';
import { createFailingDisk } from '../testing/files/failing-disk.ts';
import { type ServiceProcess, startService } from '../testing/processes/service-process.ts';
import { createTestApp } from '../testing/site.ts';

const isProof =
  process.env['STEWARD_PROOF'] !== undefined && process.env['STEWARD_TEST_DATABASES'] !== 'embedded';
const disk = isProof ? await createFailingDisk() : undefined;
/** Entries of one request. */
const ENTRIES = 5;
/** Requests that must be answered while the disk does not. */
const REQUESTS_WHILE_HANGING = 20;
const RECOVERY = { timeout: 180_000 };

/** Reason why nothing is tested, for the title. */
const skipped = disk?.refusal === undefined ? '' : ` (skipped: ${disk.refusal})`;

describe.runIf(disk?.refusal === undefined && isProof)(
  `a PostgreSQL server${skipped}`,
  { timeout: 600_000 },
  () => {
    let cluster: Cluster;
    let dataDir: string;
    let things: Things;
    let service: ServiceProcess;
    beforeAll(async () => {
      cluster = await startPostgres(['fsync=on'], undefined, disk?.env);
      dataDir = await mkdtemp(join(tmpdir(), 'steward-failing-disk-'));
      const place = { databaseUrl: cluster.url, dataDir };
      const database = await openDatabase(place);
      const app = await createTestApp(database);
      things = await makeThings({ app, db: database.db });
      await app.close();
      await database.close();
      service = await startService(place);
    }, 240_000);
    afterAll(async () => {
      await disk?.repair();
      service.child.kill('SIGKILL');
      await service.exited;
      // A server that recovers does not end by itself.
      await cluster.end('SIGQUIT');
      await cluster.stop();
      await rm(dataDir, { recursive: true });
      await disk?.remove();
    });

    const read = async (path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${things.person.token}` };
      const reply = await fetch(service.address + path, { headers });
      await reply.text();
      return reply.status;
    };
    const write = async (batch: string): Promise<number> => {
      const reply = await fetch(`${service.address}${DATA}/entrydata/Thing`, {
        method: 'POST',
        headers: { authorization: `Bearer ${things.person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          storeRequests: Array.from({ length: ENTRIES }, (_, at) => ({
            entryId: -1 - at,
            fieldId: things.field('Name').id,
            value: `${batch} entry ${at}`,
            ignoreNearDups: true,
          })),
        }),
      });
      await reply.text();
      return reply.status;
    };
    /** Number of entries by batch. */
    async function readBatches(): Promise<ReadonlyMap<string, number>> {
      const { db, close } = await openDatabase({ databaseUrl: cluster.url, dataDir });
      const { rows } = await sql<{ batch: string; count: number }>`
      select split_part(name, ' entry ', 1) as batch, count(*)::int as count from entry
      where name like 'Batch %' group by 1`.execute(db);
      await close();
      return new Map(rows.map(({ batch, count }) => [batch, count]));
    }

    test('whose fsync fails recovers by itself: nothing acknowledged is lost, nothing is half, others get 503 (F15)', async () => {
      const acknowledged: string[] = [];
      const refused: number[] = [];
      const writeNext = async () => {
        const batch = `Batch ${acknowledged.length + refused.length}`;
        const status = await write(batch);
        if (status === 200) acknowledged.push(batch);
        else refused.push(status);
        return status;
      };
      for (let round = 0; round < 3; round += 1) {
        expect(await writeNext()).toBe(200);
        await disk?.failOnce();
        // A write outside of the requests may meet the failure as well.
        await expect.poll(async () => (await writeNext()) !== 200 || disk?.hasFailed(), RECOVERY).toBe(true);
        await expect.poll(writeNext, RECOVERY).toBe(200);
        expect(disk?.hasFailed()).toBe(true);
      }
      expect([...new Set(refused)]).toEqual([503]);
      const batches = await readBatches();
      expect([...batches.values()].filter((count) => count !== ENTRIES)).toEqual([]);
      expect(acknowledged.filter((batch) => !batches.has(batch))).toEqual([]);
      expect(service.child.exitCode).toBeNull();
      console.log(
        `3 failures of fsync: ${acknowledged.length} requests acknowledged, ${refused.length} refused with 503, ${batches.size} stored`,
      );
    });

    test('whose disk does not answer: commits wait for it, reads and health do not (F16)', async () => {
      await disk?.hang();
      let status: number | undefined;
      const writing = (async () => {
        status = await write('Batch that waits');
      })();
      const { db, close } = await openDatabase({ databaseUrl: cluster.url, dataDir });
      const countWaiting = async () => {
        const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity where wait_event ilike 'walsync'`.execute(db);
        return rows[0]?.count;
      };
      await expect.poll(countWaiting, RECOVERY).toBeGreaterThan(0);
      await close();
      for (let count = 0; count < REQUESTS_WHILE_HANGING; count += 1)
        expect(await Promise.all(['/livez', `${DATA}/entrydata/rows/Thing`].map(read))).toEqual([200, 200]);
      expect(status).toBeUndefined();
      await disk?.repair();
      await writing;
      expect(status).toBe(200);
      expect((await readBatches()).get('Batch that waits')).toBe(ENTRIES);
    });
  },
);
