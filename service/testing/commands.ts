/** The commands of the host, on a small sample on each database. */
import { sql } from 'kysely';
import { beforeAll, beforeEach } from 'vitest';
import { fillSample } from '../cli/sample/fill.ts';
import { runCommand } from '../cli/commands/index.ts';
import type { Database } from '../kernel/db/database.ts';
import { onEachDatabase } from './databases.ts';

const publicUrl = 'https://steward.example';

type Query = ReturnType<typeof sql<Record<string, unknown>>>;

interface Host {
  database: () => Database;
  run: (...argv: string[]) => Promise<unknown>;
  /** The first row of an answer. */
  one: (query: Query) => Promise<Record<string, unknown> | undefined>;
  lastAudit: () => Promise<Record<string, unknown> | undefined>;
  /** The address of the tenth person of the sample. */
  email: () => string;
}

/** Tests with a sample of thirty people: made anew for each of them, or once for tests that change nothing. */
export function onEachHost(tests: (host: Host) => void, sample: 'for each' | 'once' = 'for each'): void {
  onEachDatabase((database) => {
    const one: Host['one'] = async (query) => (await query.execute(database().db)).rows[0];
    let email = '';
    const before = sample === 'once' ? beforeAll : beforeEach;
    before(async () => {
      await sql`truncate site, account, membership, user_group, group_member, activity, audit_log, topic, topic_event restart identity cascade`.execute(
        database().db,
      );
      const asOf = new Date('2026-11-20T12:00:00Z');
      await fillSample(database().db, { users: 30, asOf, seed: 1, entries: false });
      email = String((await one(sql`select email from account where user_id = 10`))?.['email']);
    });
    tests({
      database,
      one,
      run: (...argv) => runCommand({ db: database().db, publicUrl }, argv),
      lastAudit: () =>
        one(
          sql`select action, actor_id, subject_type, subject_id, changes from audit_log order by audit_id desc limit 1`,
        ),
      email: () => email,
    });
  });
}
