import { Client } from 'pg';
import type { Service } from '../../e2e/support/service.ts';
import { fillSample } from '../../service/cli/sample/fill.ts';
import { openDatabase } from '../../service/kernel/db/database.ts';

const SITE_ID = 1;
const AS_OF = new Date('2026-11-20');
/** The sample has a year of activity for each of its people; the rest are copies of them without. */
const SAMPLED = 20_000;

const COPY_ACCOUNTS = `insert into account (email, email_key, first_name, last_name, home_site_id)
  select copy || '.' || email, copy || '.' || email_key, first_name, last_name, home_site_id
  from membership join account using (user_id) cross join generate_series(2, $1::int) copy
  where site_id = ${SITE_ID} and user_id <= $2::int order by copy, user_id limit $3`;
const COPIED = `from account fresh join account old
  on fresh.user_id > $1::int and old.email_key = substr(fresh.email_key, strpos(fresh.email_key, '.') + 1)`;
const COPY_MEMBERS = `insert into membership (site_id, user_id, is_active, license_type_id, two_factor_enabled,
    ip_restrictions_enabled, created_at, modified_at)
  select site_id, fresh.user_id, is_active, license_type_id, two_factor_enabled, ip_restrictions_enabled,
    m.created_at, m.modified_at ${COPIED} join membership m on m.user_id = old.user_id and site_id = ${SITE_ID}`;
const COPY_GROUPS = `insert into group_member (site_id, group_id, user_id)
  select site_id, group_id, fresh.user_id ${COPIED} join group_member g on g.user_id = old.user_id
  where site_id = ${SITE_ID}`;

async function copyPeople(databaseUrl: string, wanted: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ last: number; known: number }>(
      `select max(user_id) as last, count(*)::int as known from membership where site_id = ${SITE_ID}`,
    );
    const { last, known } = rows[0] ?? { last: 0, known: 0 };
    await client.query(COPY_ACCOUNTS, [Math.ceil(wanted / known) + 1, last, Math.max(0, wanted - known)]);
    await client.query(COPY_MEMBERS, [last]);
    await client.query(COPY_GROUPS, [last]);
    await client.query('analyze account, membership, group_member, list_block');
  } finally {
    await client.end();
  }
}

/** Fills the site of the service with so many people. */
export async function fill(service: Service, users: number): Promise<void> {
  const { DATABASE_URL: databaseUrl = '', DATA_DIR: dataDir = '' } = service.storageEnv;
  const database = await openDatabase({ databaseUrl, dataDir });
  try {
    const options = {
      users: Math.min(users, SAMPLED),
      asOf: AS_OF,
      seed: 1,
      siteId: SITE_ID,
      entries: false,
    };
    await fillSample(database.db, options);
  } finally {
    await database.close();
  }
  if (users > SAMPLED) await copyPeople(databaseUrl, users);
}
