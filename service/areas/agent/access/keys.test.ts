/** Agent keys and the switch of the agent server. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { AgentKey, AgentKeySecret, AgentSettings } from '../../../../contract/generated/types.gen.ts';
import {
  buildMessage,
  licenseAgents,
  makeAgentKey,
  provePresence,
  sendMessage,
} from '../../../testing/agents.ts';
import type { ApiClient, ErrorBody } from '../../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';
import { createLedgerRetentionTask } from '../ledger.ts';

const KEYS = '/api/agent/keys';
const SETTINGS = '/api/agent/settings';

const create = (client: ApiClient, body: object) => client.post<AgentKeySecret & ErrorBody>(KEYS, body);

onEachApp((context) => {
  let siteId = 0;
  let admin: Person;
  let plain: Person;
  let api: ApiClient;
  let own: ApiClient;
  beforeAll(async () => {
    const { app, db } = context();
    siteId = await makeSite(db);
    admin = await makePerson(db, siteId);
    plain = await makePerson(db, siteId, { capabilities: ['Use Agent Server', 'Read Data'] });
    api = as(app, admin, 'console');
    own = as(app, plain, 'console');
    for (const person of [admin, plain]) await provePresence(db, person);
  });
  const isAccepted = async (secret: string) =>
    (await sendMessage(context().app, secret, buildMessage('tools/list'))).status;

  test('keys need the license and a proof of presence', async () => {
    const { app, db } = context();
    expect((await create(api, { name: 'Early' })).body.message).toContain('no license');
    await licenseAgents(db, siteId);
    const unproven = await makePerson(db, siteId);
    await sql`update session set proven_at = null where user_id = ${unproven.userId}`.execute(db);
    const { status, body } = await create(as(app, unproven, 'console'), { name: 'Early' });
    expect([status, body]).toMatchObject([403, { code: 'step-up-required' }]);
  });

  test('a key is shown once, stored as a hash, listed with its use, and revoked for good', async () => {
    const { db } = context();
    await licenseAgents(db, siteId);
    const { status, body } = await create(own, { name: ' Reader ', expiresInDays: 90, callsPerDay: 10 });
    expect(status).toBe(200);
    expect(body.key).toMatchObject({
      name: 'Reader',
      state: 'Active',
      userId: plain.userId,
      userEmail: plain.email,
      entryTypeIds: null,
      callsPerDay: 10,
      callsToday: 0,
      createdBy: plain.userId,
      lastUsedDate: null,
    });
    const days = (Date.parse(body.key.expiresDate) - Date.parse(body.key.createdDate)) / 86_400_000;
    expect(days).toBeCloseTo(90, 3);
    const { rows } = await sql<{
      stored: string;
    }>`select to_jsonb(k)::text as stored from agent_key k`.execute(db);
    expect(rows.some(({ stored }) => stored.includes(body.secret))).toBe(false);
    expect(await isAccepted(body.secret)).toBe(200);
    const listed = async (client: ApiClient, query = '') =>
      (await client.get<AgentKey[]>(`${KEYS}${query}`)).body;
    expect((await listed(own)).map(({ id }) => id)).toEqual([body.key.id]);
    expect(JSON.stringify(await listed(own))).not.toContain(body.secret);
    const foreign = await create(api, { name: 'Own' });
    expect((await own.del(`${KEYS}/${foreign.body.key.id}`)).status).toBe(404);
    expect(await listed(own, `?userId=${admin.userId}`)).toEqual([]);
    expect((await listed(api)).length).toBe(2);
    expect((await api.del(`${KEYS}/${body.key.id}`)).status).toBe(204);
    expect(await isAccepted(body.secret)).toBe(401);
    expect((await api.del(`${KEYS}/${body.key.id}`)).status).toBe(404);
    expect(await listed(api, `?state=Revoked&userId=${plain.userId}`)).toMatchObject([
      { id: body.key.id, revokedBy: admin.userId },
    ]);
    const audited = await sql<{ action: string; actor: number }>`
      select action, actor_id as actor from audit_log where subject_type = 'agent-key' and subject_id = ${String(body.key.id)}
      order by audit_id`.execute(db);
    expect(audited.rows).toEqual([
      { action: 'agent-key.create', actor: plain.userId },
      { action: 'agent-key.revoke', actor: admin.userId },
    ]);
  });

  test('a paused key is refused at once, stays the same key, and is resumed by who may', async () => {
    const { db } = context();
    await licenseAgents(db, siteId);
    const { key, secret } = (await create(own, { name: 'Pausing' })).body;
    const pause = async (client: ApiClient, isPaused: boolean, id = key.id) => {
      const { status, body } = await client.put<AgentKey>(`${KEYS}/${id}`, { isPaused });
      return [status, body.state];
    };
    expect(await isAccepted(secret)).toBe(200);
    expect(await pause(own, true)).toEqual([200, 'Paused']);
    expect(await isAccepted(secret)).toBe(403);
    const [listed] = (await own.get<AgentKey[]>(`${KEYS}?state=Paused`)).body;
    expect(listed).toMatchObject({ id: key.id, pausedBy: plain.userId });
    expect(Date.parse(listed?.pausedDate ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
    // It keeps its name and its place among the keys of its person.
    expect((await create(own, { name: 'pausing' })).status).toBe(409);
    expect(await pause(own, false)).toEqual([200, 'Active']);
    expect(await isAccepted(secret)).toBe(200);
    // What an administrator has paused, only an administrator resumes.
    expect(await pause(api, true)).toEqual([200, 'Paused']);
    expect(await pause(api, true)).toEqual([200, 'Paused']);
    expect((await pause(own, false))[0]).toBe(403);
    expect(await isAccepted(secret)).toBe(403);
    expect(await pause(api, false)).toEqual([200, 'Active']);
    const foreign = await makePerson(db, siteId, { capabilities: ['Use Agent Server', 'Read Data'] });
    expect((await pause(as(context().app, foreign, 'console'), true))[0]).toBe(404);
    expect((await own.del(`${KEYS}/${key.id}`)).status).toBe(204);
    expect((await pause(api, true))[0]).toBe(404);
    const audited = await sql<{ action: string; actor: number; changes: unknown }>`
      select action, actor_id as actor, changes from audit_log
      where subject_type = 'agent-key' and subject_id = ${String(key.id)}
      order by audit_id`.execute(db);
    expect(audited.rows.filter(({ action }) => /pause|resume/.test(action))).toEqual(
      [
        ['agent-key.pause', plain.userId],
        ['agent-key.resume', plain.userId],
        ['agent-key.pause', admin.userId],
        ['agent-key.resume', admin.userId],
      ].map(([action, actor]) => ({
        action,
        actor,
        changes: { isPaused: action === 'agent-key.pause' ? [false, true] : [true, false] },
      })),
    );
  });

  test('what a key must not be is refused with every reason', async () => {
    const { db } = context();
    await licenseAgents(db, siteId);
    const bad = await create(api, { name: ' ', entryTypeIds: [2_000_000_000] });
    expect([bad.status, bad.body.errors]).toEqual([
      400,
      [
        { path: 'name', message: 'must not be empty' },
        { path: 'entryTypeIds.0', message: 'Entry type 2000000000 does not exist' },
      ],
    ]);
    expect((await create(api, { name: 'Long', expiresInDays: 91 })).status).toBe(400);
    expect((await create(own, { name: 'Twice' })).status).toBe(200);
    expect((await create(own, { name: 'TWICE' })).status).toBe(409);
    // Other letters than those of ASCII too, which a database with the locale C does not fold.
    expect((await create(own, { name: 'Ärger' })).status).toBe(200);
    for (const name of ['Ärger', 'ÄRGER']) expect((await create(own, { name })).status).toBe(409);
    // For another person: only with Manage Settings, for a person who may use it, and never to read more than oneself.
    expect((await create(own, { name: 'For admin', userId: admin.userId })).status).toBe(403);
    const blind = await makePerson(db, siteId, { capabilities: ['Manage Settings'] });
    await provePresence(db, blind);
    const blindApi = as(context().app, blind, 'console');
    const refused = await create(blindApi, { name: 'Eyes', userId: plain.userId });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'User capabilities are required: Read Data',
    ]);
    expect((await create(api, { name: 'Eyes', userId: blind.userId })).body.message).toContain(
      'Use Agent Server',
    );
    const stranger = await makePerson(db, await makeSite(db));
    expect((await create(api, { name: 'Eyes', userId: stranger.userId })).status).toBe(404);
    expect((await create(api, { name: 'Eyes', userId: plain.userId })).body.key.createdBy).toBe(admin.userId);
    await sql`insert into agent_key (site_id, user_id, name, secret_hash, expires_at)
      select ${siteId}, ${plain.userId}, 'N' || n, n::text::bytea, now() + interval '1 day' from generate_series(1, 20) n`.execute(
      db,
    );
    expect((await create(own, { name: 'One more' })).status).toBe(409);
  });

  test('the switch refuses calls until it is on again, and stopping all agents revokes their keys', async () => {
    const { app, db } = context();
    const person = await makePerson(db, await makeSite(db));
    const { secret } = await makeAgentKey(context(), person);
    const client = as(app, person, 'console');
    const set = (isEnabled: boolean) => client.put<AgentSettings>(SETTINGS, { isEnabled });
    expect((await client.get<AgentSettings>(SETTINGS)).body).toMatchObject({
      isLicensed: true,
      isEnabled: true,
      changedDate: null,
      address: 'http://steward.test/api/agent/mcp',
      activeKeys: 1,
      limits: { callsPerMinute: 60, rowsPerMinute: 5_000, siteCallsPerMinute: 600 },
    });
    expect((await set(false)).body).toMatchObject({ isEnabled: false, changedBy: person.userId });
    expect(await isAccepted(secret)).toBe(403);
    expect((await set(true)).body.isEnabled).toBe(true);
    expect(await isAccepted(secret)).toBe(200);
    const stopped = await client.post('/api/agent/stop');
    expect([stopped.status, stopped.body]).toEqual([200, { revokedKeys: 1 }]);
    expect(await isAccepted(secret)).toBe(401);
    expect((await client.get<AgentSettings>(SETTINGS)).body).toMatchObject({
      isEnabled: false,
      activeKeys: 0,
    });
    const audited = await sql<{ action: string }>`
      select action from audit_log where site_id = ${person.siteId} and subject_type in ('agent-key', 'agent-server')
      order by audit_id`.execute(db);
    expect(audited.rows.map(({ action }) => action)).toEqual([
      'agent-key.create',
      'agents.disable',
      'agents.enable',
      'agent-key.revoke',
      'agents.stop',
    ]);
  });

  test('calls are deleted after 90 days', async () => {
    const { db } = context();
    await sql`insert into agent_call (site_id, at, key_id, key_name, user_id, tool, outcome, arguments, field_ids, value_counts,
        entry_ids, rows, bytes, duration_ms, flags, client_name, client_version, protocol_version, ip)
      select 0, now() - make_interval(days => d), 1, '', 1, 'count_rows', 'Ok', '{}', '{}', '{}', '{}', 0, 0, 0, '{}', '', '', '', ''
      from unnest('{89,91}'::int[]) d`.execute(db);
    await createLedgerRetentionTask({ db }).run();
    const { rows } = await sql<{ days: number }>`
      select extract(day from now() - at)::int as days from agent_call where site_id = 0`.execute(db);
    expect(rows).toEqual([{ days: 89 }]);
  });
});
