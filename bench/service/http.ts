/** HTTP requests compared with the same statements through the database driver, on one PostgreSQL. */
import { Pool } from 'pg';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { startService, type Service } from '../../e2e/support/service.ts';
import { type Bench, measureMs, measureRate } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { measurePaging } from './paging.ts';

const PAGE_SIZE = 50;
/** The first site of the sample. */
const SITE = 'northlight';
const USERS = '/api/rest/v1/management/user';
const USER_COLUMNS = `m.user_id, a.email, a.first_name, a.last_name, m.is_active, m.license_type_id,
  m.two_factor_enabled, m.ip_restrictions_enabled, m.version, m.modified_at`;
const USER_TABLES = 'from membership m join account a using (user_id) where m.site_id = 1';

/** Calls the bearer API; throws for an error response. */
export type Call = (path: string, init?: RequestInit) => Promise<unknown>;

/** Creates an API key and an access token; returns a function that calls the bearer API. */
export async function createProgram(service: Service): Promise<Call> {
  const printed = await service.admin('api-key', ada.email, '--scopes', 'user_management', '--site', SITE);
  const key = z.object({ client_id: z.coerce.string(), client_secret: z.string() }).parse(printed);
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'user_management', ...key });
  const answer = await fetch(`${service.url}/api/rest/v1/oauth/token`, { method: 'POST', body });
  const { access_token } = z.object({ access_token: z.string() }).parse(await answer.json());
  return async (path, init) => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const response = await fetch(service.url + path, { ...init, headers });
    if (!response.ok) throw new Error(`${response.status} of ${path}: ${await response.text()}`);
    return response.json();
  };
}

async function signIn(service: Service): Promise<void> {
  const response = await fetch(`${service.url}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-steward-console': '1', origin: service.url },
    body: JSON.stringify(ada),
  });
  if (!response.ok) throw new Error(`${response.status} of sign-in: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Floor of a change: one updated user with its audit row, in one transaction. */
async function changeUserInSql(pool: Pool, userId: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select version from membership where site_id = 1 and user_id = $1 for update', [
      userId,
    ]);
    await client.query('update account set first_name = $2 where user_id = $1', [
      userId,
      `F${Math.random()}`,
    ]);
    await client.query(
      'update membership set version = version + 1, modified_at = now() where site_id = 1 and user_id = $1',
      [userId],
    );
    await client.query(
      `insert into audit_log (site_id, at, action, subject_type, subject_id, request_id, changes)
       values (1, now(), 'bench', 'user', $1, 'bench', '{}')`,
      [String(userId)],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

export const http: Bench = {
  name: 'Requests, on PostgreSQL',
  async run() {
    await chooseDatabase('postgres');
    const service = await startService({ sample: true, administrator: ada });
    const pool = new Pool({ connectionString: service.storageEnv['DATABASE_URL'], max: 10 });
    try {
      const call = await createProgram(service);
      const { rows } = await pool.query<{ user_id: number }>(
        `select m.user_id ${USER_TABLES} order by 1 limit 8 offset 20`,
      );
      const ids = rows.map((row) => row.user_id);
      let turn = 0;
      const next = () => ids[turn++ % ids.length] ?? 0;
      const sql = async (text: string, values: unknown[]) => void (await pool.query(text, values));
      const userStatement = `select ${USER_COLUMNS} ${USER_TABLES} and m.user_id = $1`;
      const pageStatement = `select ${USER_COLUMNS} ${USER_TABLES} order by m.user_id limit $1`;
      return [
        { name: 'sign-in', ours: await measureMs(() => signIn(service)), unit: 'ms' },
        {
          name: 'one user',
          ours: await measureRate(async () => void (await call(`${USERS}/${next()}`))),
          floor: await measureRate(() => sql(userStatement, [next()])),
          unit: '1/s',
        },
        {
          name: `a page of ${PAGE_SIZE} users`,
          ours: await measureRate(
            async () => void (await call(`${USERS}?pageNumber=1&pageSize=${PAGE_SIZE}`)),
          ),
          floor: await measureRate(() => sql(pageStatement, [PAGE_SIZE])),
          unit: '1/s',
        },
        {
          name: 'an audited change',
          ours: await measureRate(async () => {
            const body = JSON.stringify({ id: next(), firstName: `F${Math.random()}` });
            await call(USERS, { method: 'PUT', body });
          }),
          floor: await measureRate(() => changeUserInSql(pool, next())),
          unit: '1/s',
        },
        // Last, because it adds many users to the site.
        ...(await measurePaging(call, pool)),
      ];
    } finally {
      await pool.end();
      await service.remove();
    }
  },
};
