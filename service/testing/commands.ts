/** Commands of the CLI, run on a small sample on each database. */
import { sql } from 'kysely';
import { beforeAll, beforeEach } from 'vitest';
import { registry } from '../areas/registry.ts';
import { runCommand } from '../cli/commands/index.ts';
import { fillSample } from '../cli/sample/fill.ts';
import type { Database } from '../kernel/db/database.ts';
import { onEachDatabase } from './databases.ts';
import { services } from './site.ts';

const publicUrl = 'https://steward.example';

type Query = ReturnType<typeof sql<Record<string, unknown>>>;

interface CommandHost {
  database: () => Database;
  run: (...argv: string[]) => Promise<unknown>;
  /** The first row of a query. */
  queryOne: (query: Query) => Promise<Record<string, unknown> | undefined>;
  lastAudit: () => Promise<Record<string, unknown> | undefined>;
  /** The address of the tenth user of the sample. */
  email: () => string;
}

/**
 * Runs the tests on each database with a sample of thirty users, created for each test or once for tests that
 * change nothing.
 */
export function onEachHost(
  tests: (host: CommandHost) => void,
  sample: 'for each' | 'once' = 'for each',
): void {
  onEachDatabase((database) => {
    const queryOne: CommandHost['queryOne'] = async (query) => (await query.execute(database().db)).rows[0];
    let email = '';
    const hook = sample === 'once' ? beforeAll : beforeEach;
    hook(async () => {
      await sql`truncate site, account, membership, user_group, group_member, activity, audit_log, topic, topic_event restart identity cascade`.execute(
        database().db,
      );
      const asOf = new Date('2026-11-20T12:00:00Z');
      await fillSample(database().db, { users: 30, asOf, seed: 1, entries: false });
      email = String((await queryOne(sql`select email from account where user_id = 10`))?.['email']);
    });
    tests({
      database,
      queryOne,
      run: (...argv) =>
        runCommand(
          {
            db: database().db,
            dataDir: services.dataDir,
            blobs: services.blobs,
            publicUrl,
            createTasks: async () => registry.createTasks({ db: database().db, services }),
          },
          argv,
        ),
      lastAudit: () =>
        queryOne(
          sql`select action, actor_id, subject_type, subject_id, changes from audit_log order by audit_id desc limit 1`,
        ),
      email: () => email,
    });
  });
}
