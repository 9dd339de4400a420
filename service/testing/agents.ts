/** Agent keys and MCP clients for tests. */
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { AgentKeySecret } from '../../contract/generated/types.gen.ts';
import type { Db } from '../kernel/db/database.ts';
import { type Reply, send } from './calls.ts';
import { as, type Person } from './site.ts';

export const MCP = '/api/agent/mcp';
const MODERN = '2026-07-28';

/** Gives the site the license. */
export const licenseAgents = (db: Db, siteId: number) =>
  sql`update site set has_agent_server = true where site_id = ${siteId}`.execute(db);

/** Confirms the presence of a person's session, which creating a key needs. */
export const provePresence = (db: Db, { userId }: Pick<Person, 'userId'>) =>
  sql`update session set proven_at = now() where user_id = ${userId}`.execute(db);

/** Creates a key through the API; the site gets the license. */
export async function makeAgentKey(
  { app, db }: { app: FastifyInstance; db: Db },
  person: Person,
  info: object = {},
): Promise<AgentKeySecret> {
  await licenseAgents(db, person.siteId);
  await provePresence(db, person);
  const body = { name: `Agent ${crypto.randomUUID()}`, ...info };
  const reply = await as(app, person, 'console').post<AgentKeySecret>('/api/agent/keys', body);
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.body;
}

/** The part of a JSON-RPC response that tests read. */
export interface RpcReply {
  id: unknown;
  result?: Record<string, unknown>;
  error?: {
    code: number;
    message: string;
    data?: { errors?: { path: string }[]; retryAfterSeconds?: number; supported?: string[] };
  };
}

/** A message of revision 2026-07-28 with the headers that it needs. */
export function buildMessage(method: string, params: object = {}) {
  const name: Record<string, string> = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...name,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  };
}

/** Sends one message to the agent server. */
export const sendMessage = (
  app: FastifyInstance,
  secret: string | undefined,
  { headers, body }: { headers: Record<string, string>; body: unknown },
): Promise<Reply<RpcReply>> =>
  send<RpcReply>(app, {
    method: 'POST',
    url: MCP,
    headers: { ...headers, ...(secret !== undefined && { authorization: `Bearer ${secret}` }) },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Calls a tool with revision 2026-07-28. */
export const callTool = (app: FastifyInstance, secret: string, name: string, args: object = {}) =>
  sendMessage(app, secret, buildMessage('tools/call', { name, arguments: args }));

/** Structured content of a call that must succeed. */
export async function readTool(
  app: FastifyInstance,
  secret: string,
  name: string,
  args: object = {},
): Promise<Record<string, unknown>> {
  const { status, body, text } = await callTool(app, secret, name, args);
  expect([status, body.result?.['isError'] ?? false, text]).toEqual([200, false, text]);
  return Object(body.result?.['structuredContent']) as Record<string, unknown>;
}

/** A client of the SDK whose requests reach the app in process. */
export async function connectClient(
  app: FastifyInstance,
  secret: string,
  mode: VersionNegotiationMode,
): Promise<Client> {
  const client = new Client({ name: 'sdk', version: '2.4.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`http://steward.test${MCP}`), {
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
    fetch: async (url, init) => {
      const reply = await app.inject({
        method: init?.method === 'GET' ? 'GET' : 'POST',
        url: new URL(String(url)).pathname,
        headers: Object.fromEntries(new Headers(init?.headers)),
        ...(typeof init?.body === 'string' && { payload: init.body }),
      });
      const headers = new Headers();
      for (const [name, value] of Object.entries(reply.headers))
        if (value !== undefined) headers.set(name, String(value));
      const hasBody = ![202, 204].includes(reply.statusCode);
      return new Response(hasBody ? reply.payload : null, { status: reply.statusCode, headers });
    },
  });
  await client.connect(transport);
  return client;
}
