/**
 * The least that a server can do for the measured requests: Fastify and pg with hand-written statements. It checks the token and
 * nothing else, and it writes no event. Prints its URL.
 */
import { createHash } from 'node:crypto';
import fastify, { type FastifyRequest } from 'fastify';
import { Pool, type PoolClient } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const TOKEN = {
  name: 'token',
  text: `select t.site_id, t.user_id from access_token t join membership m using (site_id, user_id)
    where t.token_hash = $1 and t.expires_at > now() and m.is_active`,
};
const USER = {
  name: 'user',
  text: `select m.user_id as id, a.email, a.first_name, a.last_name, m.is_active, m.two_factor_enabled, m.time_zone,
      m.ip_restrictions_enabled, m.version, m.created_at, m.modified_at, m.created_by, m.modified_by,
      array(select group_id from group_member g where g.site_id = m.site_id and g.user_id = m.user_id order by 1) as groups
    from membership m join account a using (user_id) where m.site_id = $1 and m.user_id = $2`,
};
const UPDATE_USER = {
  name: 'update-user',
  text: `with named as (update account set first_name = $3 where user_id = $2)
    update membership set version = version + 1, modified_at = now() where site_id = $1 and user_id = $2`,
};
const UPDATE_ENTRY = {
  name: 'update-entry',
  text: `update entry set version = version + 1, vals = vals || jsonb_build_object($3::text, $4::text)
    where site_id = $1 and entry_id = $2`,
};
const AUDIT = {
  name: 'audit',
  text: `insert into audit_log (site_id, at, actor_id, action, subject_type, subject_id, request_id, changes)
    values ($1, now(), $2, $3, $4, $5, $6, $7)`,
};

interface Caller {
  site_id: number;
  user_id: number;
}

async function authenticate(request: Pick<FastifyRequest, 'headers'>): Promise<Caller> {
  const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const hash = createHash('sha256').update(token).digest();
  const { rows } = await pool.query<Caller>({ ...TOKEN, values: [hash] });
  const [caller] = rows;
  if (!caller) throw Object.assign(new Error('The token is invalid'), { statusCode: 401 });
  return caller;
}

/** Runs one update with its audit row in a transaction. */
async function change(
  request: Pick<FastifyRequest, 'id'>,
  caller: Caller,
  update: (client: PoolClient) => Promise<unknown>,
  subject: readonly [type: string, id: number],
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await update(client);
    const [type, id] = subject;
    const values = [caller.site_id, caller.user_id, 'update', type, String(id), request.id, '{}'];
    await client.query({ ...AUDIT, values });
    await client.query('commit');
  } finally {
    client.release();
  }
}

const app = fastify();

async function getUser(request: FastifyRequest<{ Params: { id: string } }>): Promise<unknown> {
  const caller = await authenticate(request);
  const { rows } = await pool.query<object>({ ...USER, values: [caller.site_id, request.params.id] });
  return rows[0];
}

async function updateUser(
  request: FastifyRequest<{ Body: { id: number; firstName: string } }>,
): Promise<unknown> {
  const caller = await authenticate(request);
  const { id, firstName } = request.body;
  const values = [caller.site_id, id, firstName];
  await change(request, caller, (client) => client.query({ ...UPDATE_USER, values }), ['user', id]);
  return id;
}

async function updateEntry(
  request: FastifyRequest<{ Body: { entryId: number; fieldId: number; value: string } }>,
): Promise<unknown> {
  const caller = await authenticate(request);
  const { entryId, fieldId, value } = request.body;
  const values = [caller.site_id, entryId, String(fieldId), value];
  await change(request, caller, (client) => client.query({ ...UPDATE_ENTRY, values }), ['entry', entryId]);
  return entryId;
}

app.route({ method: 'GET', url: '/user/:id', handler: getUser });
app.route({ method: 'PUT', url: '/user', handler: updateUser });
app.route({ method: 'PUT', url: '/entry', handler: updateEntry });
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
