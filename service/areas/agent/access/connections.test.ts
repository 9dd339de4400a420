/** Clients that persons connect: authorization, tokens and their end. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  AgentApprovalResult,
  AgentAuthorization,
  AgentCallPage,
  AgentKey,
} from '../../../../contract/generated/types.gen.ts';
import { createEgress, parseEgressRules } from '../../../kernel/network/egress.ts';
import { createLog } from '../../../kernel/telemetry/log.ts';
import {
  buildMessage,
  callTool,
  licenseAgents,
  MCP,
  provePresence,
  sendMessage,
} from '../../../testing/agents.ts';
import { type ApiClient, type ErrorBody, send } from '../../../testing/calls.ts';
import {
  createAuthorizationRequest,
  type MetadataServer,
  startMetadataServer,
  trustLoopbackCertificate,
} from '../../../testing/servers/agent-clients.ts';
import {
  as,
  createTestApp,
  makePerson,
  makeSite,
  onEachApp,
  publicUrl,
  services,
  type Person,
} from '../../../testing/site.ts';
import { createTokenRetentionTask } from './authorization-server.ts';

const RESOURCE = `${publicUrl}${MCP}`;
const DESCRIBE = '/api/agent/authorization';
const APPROVE = '/api/agent/authorization/approval';

interface Tokens extends Record<string, unknown> {
  access_token: string;
  refresh_token: string;
  error?: string;
}

const encode = (params: object) => new URLSearchParams({ ...params }).toString();

onEachApp((context) => {
  let client: MetadataServer;
  let person: Person;
  let api: ApiClient;
  beforeAll(async () => {
    const { app, db } = context();
    trustLoopbackCertificate();
    client = await startMetadataServer();
    person = await makePerson(db, await makeSite(db), { capabilities: ['Use Agent Server', 'Read Data'] });
    api = as(app, person, 'console');
    await licenseAgents(db, person.siteId);
    await provePresence(db, person);
  });
  afterAll(() => client.close());

  const describeRequest = (params: object) =>
    api.post<AgentAuthorization & ErrorBody>(DESCRIBE, { request: encode(params) });
  const post = (path: string, form: object) =>
    send<Tokens>(context().app, {
      method: 'POST',
      url: `/api/agent/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: encode(form),
    });
  const refresh = (token: string) =>
    post('token', { grant_type: 'refresh_token', refresh_token: token, client_id: client.clientId });
  /** Approves a request and returns what a client sends for a code. */
  const approve = async (info: object = {}) => {
    const { verifier, params } = createAuthorizationRequest(client.clientId, RESOURCE);
    const reply = await api.post<AgentApprovalResult>(APPROVE, { request: encode(params), ...info });
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    const answer = new URL(reply.body.address);
    return {
      answer,
      exchange: {
        grant_type: 'authorization_code',
        code: answer.searchParams.get('code') ?? '',
        redirect_uri: params.redirect_uri,
        client_id: client.clientId,
        code_verifier: verifier,
        resource: RESOURCE,
      },
    };
  };
  const connect = async (): Promise<Tokens> => {
    const reply = await post('token', (await approve()).exchange);
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    return reply.body;
  };
  const listConnections = async () =>
    (await api.get<AgentKey[]>('/api/agent/keys')).body.filter(({ clientId }) => clientId !== null);
  const discover = (token?: string) => sendMessage(context().app, token, buildMessage('tools/list'));

  test('a client finds the server, is connected, reads, refreshes, and ends with a refresh token used twice', async () => {
    const { app, db } = context();
    const challenge = await discover();
    const header = String(challenge.headers['www-authenticate']);
    expect(header).toContain('scope="read"');
    const metadataUrl = new URL(/resource_metadata="([^"]+)"/.exec(header)?.[1] ?? '');
    const { body: metadata } = await send<Record<string, unknown>>(app, { url: metadataUrl.pathname });
    expect(metadata).toMatchObject({ resource: RESOURCE, authorization_servers: [publicUrl] });
    const { body: server } = await send(app, { url: '/.well-known/oauth-authorization-server' });
    expect(server).toEqual({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/api/agent/authorize`,
      token_endpoint: `${publicUrl}/api/agent/token`,
      revocation_endpoint: `${publicUrl}/api/agent/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['read'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });

    const { params } = createAuthorizationRequest(client.clientId, RESOURCE);
    const page = await send(app, { url: `/api/agent/authorize?${encode(params)}` });
    const target = new URL(String(page.headers.location));
    expect([page.status, target.pathname, target.searchParams.get('request')]).toEqual([
      303,
      '/connect-agent',
      encode(params),
    ]);
    const described = await describeRequest(params);
    expect(described.body).toMatchObject({
      clientId: client.clientId,
      name: 'Example agent',
      redirectAddress: params.redirect_uri,
    });
    expect(Object.fromEntries(new URL(described.body.denyAddress).searchParams)).toMatchObject({
      error: 'access_denied',
      state: params.state,
      iss: publicUrl,
    });
    expect(await listConnections()).toEqual([]);

    const { answer, exchange } = await approve({ expiresInDays: 7 });
    expect([answer.searchParams.get('state'), answer.searchParams.get('iss')]).toEqual([
      params.state,
      publicUrl,
    ]);
    const { status, body: tokens } = await post('token', exchange);
    expect([status, tokens]).toMatchObject([200, { token_type: 'Bearer', expires_in: 900, scope: 'read' }]);
    expect((await callTool(app, tokens.access_token, 'list_entry_types')).status).toBe(200);
    const [connection] = await listConnections();
    expect(connection).toMatchObject({ name: 'Example agent', clientId: client.clientId, state: 'Active' });
    await expect
      .poll(async () => (await api.get<AgentCallPage>('/api/agent/calls')).body.calls)
      .toMatchObject([{ keyId: connection?.id, keyName: 'Example agent', userId: person.userId }]);
    // Neither API accepts the token, and the database has none of the secrets.
    expect((await as(app, { ...person, token: tokens.access_token }).get('/api/agent/calls')).status).toBe(
      403,
    );
    const { rows } = await sql<{ stored: string }>`select t::text as stored from agent_token t`.execute(db);
    expect(rows.length).toBeGreaterThan(0);
    for (const { stored } of rows)
      for (const secret of [tokens.access_token, tokens.refresh_token, exchange.code])
        expect(stored).not.toContain(secret);

    // A pause refuses calls and the refresh, and ends neither the tokens nor the connection.
    const pause = (isPaused: boolean) => api.put(`/api/agent/keys/${connection?.id}`, { isPaused });
    expect((await pause(true)).status).toBe(200);
    expect((await discover(tokens.access_token)).status).toBe(403);
    expect((await refresh(tokens.refresh_token)).body.error).toBe('access_denied');
    expect((await pause(false)).status).toBe(200);
    expect((await discover(tokens.access_token)).status).toBe(200);

    const second = (await refresh(tokens.refresh_token)).body;
    expect((await discover(second.access_token)).status).toBe(200);
    const replay = await refresh(tokens.refresh_token);
    expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant']);
    const ended = await discover(second.access_token);
    expect([ended.status, ended.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant');
    const audited = await sql<{ action: string; changes: Record<string, unknown> }>`
      select action, changes from audit_log where site_id = ${person.siteId} and subject_type = 'agent-key'
      order by audit_id`.execute(db);
    expect(audited.rows).toMatchObject([
      {
        action: 'agent-key.create',
        changes: { clientId: [null, client.clientId], expiresInDays: [null, 7] },
      },
      { action: 'agent-key.pause', changes: { isPaused: [false, true] } },
      { action: 'agent-key.resume', changes: { isPaused: [true, false] } },
      {
        action: 'agent-key.revoke',
        changes: { reason: [null, 'A code or refresh token was used twice'] },
      },
    ]);
  });

  test('a code works once, within a minute, for its client, verifier and redirect URI, and its second use ends all', async () => {
    const { db } = context();
    const { exchange } = await approve();
    for (const wrong of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'http://127.0.0.1:9999/callback' },
      { code: 'unknown' },
    ])
      expect((await post('token', { ...exchange, ...wrong })).body.error).toBe('invalid_grant');
    expect((await post('token', { ...exchange, resource: 'https://other.test/mcp' })).body.error).toBe(
      'invalid_target',
    );
    const { exchange: raced } = await approve();
    const race = await Promise.all([post('token', raced), post('token', raced)]);
    // The second use also ends a first one that has not been answered.
    expect(['200,400', '400,400']).toContain(
      race
        .map(({ status }) => status)
        .toSorted((one, other) => one - other)
        .join(),
    );
    const winner = race.find(({ status }) => status === 200)?.body;
    expect((await discover(winner?.access_token ?? 'none')).status).toBe(401);
    const { exchange: twice } = await approve();
    const { body } = await post('token', twice);
    expect((await discover(body.access_token)).status).toBe(200);
    expect((await post('token', twice)).body.error).toBe('invalid_grant');
    expect((await discover(body.access_token)).status).toBe(401);
    const { exchange: late } = await approve();
    await sql`update agent_token set payload = jsonb_set(payload::jsonb, '{exp}', '1')::text
      where kind = 'AuthorizationCode'`.execute(db);
    expect((await post('token', late)).body.error).toBe('invalid_grant');
  });

  test('requests that would send a code elsewhere are refused with the reason', async () => {
    const { db, database } = context();
    const { params } = createAuthorizationRequest(client.clientId, RESOURCE);
    const refuse = async (changes: object) => {
      const { status, body } = await describeRequest({ ...params, ...changes });
      return [status, body.message];
    };
    const redirects = [
      'http://127.0.0.1:4321/callback/../other',
      'http://127.0.0.1.evil.test/callback',
      'http://127.0.0.1:4321@evil.test/callback',
      'http://localhost:4321/callback',
      'https://evil.test/callback',
    ];
    for (const uri of redirects)
      expect(await refuse({ redirect_uri: uri })).toEqual([400, expect.stringContaining('redirect_uri')]);
    expect(await refuse({ resource: 'https://other.test/mcp' })).toEqual([
      400,
      expect.stringContaining('resource'),
    ]);
    expect(await refuse({ code_challenge: '', code_challenge_method: '' })).toEqual([
      400,
      expect.stringContaining('PKCE'),
    ]);
    expect(await refuse({ code_challenge_method: 'plain' })).toEqual([
      400,
      expect.stringContaining('code_challenge_method'),
    ]);
    expect(await refuse({ response_mode: 'form_post' })).toEqual([
      400,
      expect.stringContaining('response_mode'),
    ]);
    expect(await refuse({ client_id: 'http://127.0.0.1/client.json' })).toEqual([
      400,
      expect.stringContaining('client'),
    ]);
    // Documents that another server signs for, that ask for unsafe redirects, or that are at an inner address.
    const other = await startMetadataServer();
    const app = await createTestApp(database, {
      services: {
        ...services,
        egress: createEgress({
          rules: parseEgressRules('127.0.0.1') ?? [],
          log: createLog('silent'),
          timeLimitMs: 200,
        }),
      },
    });
    const describeOther = async (clientId: string) => {
      const request = encode({ ...createAuthorizationRequest(clientId, RESOURCE).params });
      const reply = await as(app, person, 'console').post<ErrorBody>(DESCRIBE, { request });
      return [reply.status, reply.body.message];
    };
    try {
      other.document = { ...other.document, client_id: client.clientId };
      expect(await describeOther(other.clientId)).toEqual([400, expect.stringContaining('client_id')]);
      other.document = { ...client.document, client_id: other.clientId, application_type: 'web' };
      other.document['redirect_uris'] = ['http://evil.test/callback'];
      expect(await describeOther(other.clientId)).toEqual([400, expect.stringContaining('client')]);
      expect(await describeOther('https://10.0.0.1/client.json')).toEqual([
        400,
        expect.stringContaining('fetch failed'),
      ]);
    } finally {
      other.close();
      await app.close();
    }
    expect((await listConnections()).filter(({ state }) => state === 'Active').length).toBeLessThan(5);
    // A person without the capability connects nothing.
    const reader = await makePerson(db, person.siteId, { capabilities: ['Read Data'] });
    await provePresence(db, reader);
    const refused = await as(context().app, reader, 'console').post(APPROVE, { request: encode(params) });
    expect(refused.status).toBe(403);
  });

  test('rights, switch and license are read at every request; a client may leave', async () => {
    const { app, db } = context();
    const { siteId, groupId, userId } = person;
    const tokens = await connect();
    const setCapabilities = (capabilities: string[]) =>
      sql`update user_group set capabilities = ${capabilities} where site_id = ${siteId} and group_id = ${groupId}`.execute(
        db,
      );
    await setCapabilities(['Read Data']);
    expect((await discover(tokens.access_token)).status).toBe(403);
    expect((await refresh(tokens.refresh_token)).body.error).toBe('access_denied');
    await setCapabilities(['Use Agent Server', 'Read Data']);
    await sql`update membership set is_active = false where site_id = ${siteId} and user_id = ${userId}`.execute(
      db,
    );
    expect((await discover(tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    await sql`update membership set is_active = true where site_id = ${siteId} and user_id = ${userId}`.execute(
      db,
    );
    await sql`insert into agent_site (site_id, is_enabled) values (${siteId}, false)
      on conflict (site_id) do update set is_enabled = false`.execute(db);
    expect((await refresh(tokens.refresh_token)).status).toBeGreaterThanOrEqual(400);
    const { params } = createAuthorizationRequest(client.clientId, RESOURCE);
    expect((await describeRequest(params)).status).toBe(403);
    const metadata = () => send(app, { url: '/.well-known/oauth-protected-resource' });
    await sql`update site set has_agent_server = false where site_id <> ${siteId}`.execute(db);
    expect((await metadata()).status).toBe(404);
    await sql`update agent_site set is_enabled = true where site_id = ${siteId}`.execute(db);
    expect((await metadata()).status).toBe(200);

    const { access_token: access, refresh_token: last } = (await refresh(tokens.refresh_token)).body;
    // A client that nobody has connected makes the service call nobody.
    const stranger = await startMetadataServer();
    const foreign = await post('token', {
      grant_type: 'refresh_token',
      refresh_token: last,
      client_id: stranger.clientId,
    });
    expect([foreign.body.error, stranger.requests]).toEqual(['invalid_client', 0]);
    stranger.close();
    expect((await post('revoke', { token: last, client_id: client.clientId })).status).toBe(200);
    expect((await discover(access)).status).toBe(401);
    const large = await post('token', { grant_type: 'x'.repeat(17_000) });
    expect([large.status, large.body.error]).toEqual([413, 'invalid_request']);
    expect((await post('token', { grant_type: 'password', client_id: client.clientId })).body.error).toBe(
      'unsupported_grant_type',
    );

    await sql`update agent_token set expires_at = now() - interval '1 second'`.execute(db);
    await createTokenRetentionTask({ db }).run();
    expect((await sql`select from agent_token`.execute(db)).rows).toEqual([]);
    await sql`update throttle set count = 1000, window_started_at = now() where key like 'agent-oauth:%'`.execute(
      db,
    );
    const throttled = await post('token', {});
    expect([throttled.status, throttled.headers['retry-after']]).toEqual([429, expect.any(String)]);
  });
});
