import { Client } from 'pg';
import type { Service } from '../../../e2e/support/service.ts';
import { fillSample } from '../../../service/cli/sample/fill.ts';
import { openDatabase } from '../../../service/kernel/db/database.ts';

const SITE_ID = 1;
const AS_OF = new Date('2026-11-20');
/**
 * Highest number of users created by the sample generator, which adds a year of activity for each of them. Further users are copies
 * without activity.
 */
const MAX_SAMPLE_USERS = 20_000;

const COPY_ACCOUNTS = `insert into account (email, email_key, first_name, last_name, home_site_id)
  select copy || '.' || email, copy || '.' || email_key, first_name, last_name, home_site_id
  from membership join account using (user_id) cross join generate_series(2, $1::int) copy
  where site_id = ${SITE_ID} and user_id <= $2::int order by copy, user_id limit $3`;
const COPIED_ACCOUNTS = `from account copy join account original
  on copy.user_id > $1::int and original.email_key = substr(copy.email_key, strpos(copy.email_key, '.') + 1)`;
const COPY_MEMBERS = `insert into membership (site_id, user_id, is_active, license_type_id, two_factor_enabled,
    ip_restrictions_enabled, created_at, modified_at)
  select site_id, copy.user_id, is_active, license_type_id, two_factor_enabled, ip_restrictions_enabled,
    m.created_at, m.modified_at ${COPIED_ACCOUNTS} join membership m on m.user_id = original.user_id and site_id = ${SITE_ID}`;
const COPY_GROUPS = `insert into group_member (site_id, group_id, user_id)
  select site_id, group_id, copy.user_id ${COPIED_ACCOUNTS} join group_member g on g.user_id = original.user_id
  where site_id = ${SITE_ID}`;

/** Copies the accounts, memberships and group memberships of the sample users until the site has `users` users. */
async function copyUsers(databaseUrl: string, users: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ lastId: number; existing: number }>(
      `select max(user_id) as "lastId", count(*)::int as existing from membership where site_id = ${SITE_ID}`,
    );
    const { lastId, existing } = rows[0] ?? { lastId: 0, existing: 0 };
    await client.query(COPY_ACCOUNTS, [
      Math.ceil(users / existing) + 1,
      lastId,
      Math.max(0, users - existing),
    ]);
    await client.query(COPY_MEMBERS, [lastId]);
    await client.query(COPY_GROUPS, [lastId]);
    await client.query('analyze account, membership, group_member, list_block');
  } finally {
    await client.end();
  }
}

/** Fills the site of the service with `users` users. */
export async function fillDirectory(service: Service, users: number): Promise<void> {
  const { DATABASE_URL: databaseUrl = '', DATA_DIR: dataDir = '' } = service.storageEnv;
  const database = await openDatabase({ databaseUrl, dataDir });
  try {
    const options = {
      users: Math.min(users, MAX_SAMPLE_USERS),
      asOf: AS_OF,
      seed: 1,
      siteId: SITE_ID,
      entries: false,
    };
    await fillSample(database.db, options);
  } finally {
    await database.close();
  }
  if (users > MAX_SAMPLE_USERS) await copyUsers(databaseUrl, users);
}
