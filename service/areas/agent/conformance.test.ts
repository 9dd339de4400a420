/**
 * The conformance scenarios of the protocol for servers and authorization servers, and the command line of the Inspector, run by their own
 * commands against a listening service. The scenarios named auth/ test clients, which this project has none of.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentApprovalResult } from '../../../contract/generated/types.gen.ts';
import { findFreePort } from '../../../scripts/testing/free-port.ts';
import { type Database, openDatabase } from '../../kernel/db/database.ts';
import { makeAgentKey, MCP } from '../../testing/agents.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/databases.ts';
import {
  type MetadataServer,
  startMetadataServer,
  trustLoopbackCertificate,
} from '../../testing/servers/agent-clients.ts';
import { as, createTestApp, makePerson, makeSite, type Person, services } from '../../testing/site.ts';
import { tools } from './tools/tools.ts';

const COMMAND = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
/**
 * The Inspector, which npm loads for `npm run proof`: as a development package it would bring 80 others for its terminal and web pages
 * (docs/dependencies.md).
 */
const INSPECTOR = ['--yes', '--package=@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector', '--cli'];
/** Runs the command under the Node of this process; returns the JSON that it prints. */
async function inspect(address: string, key: string, ...options: string[]): Promise<Record<string, unknown>> {
  const header = ['--header', `Authorization: Bearer ${key}`];
  const args = [...INSPECTOR, address, '--transport', 'http', ...header, ...options];
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  const { stdout } = await promisify(execFile)('npx', args, { env, timeout: 300_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}
const isProof = process.env['STEWARD_PROOF'] !== undefined;
const BASELINE = fileURLToPath(new URL('conformance-expected-failures.yaml', import.meta.url));
const LIMITS = { callsPerMinute: 10_000, rowsPerMinute: 100_000, siteCallsPerMinute: 10_000 };

describe('conformance', () => {
  let stored: TestDatabase | undefined;
  let database: Database | undefined;
  let app: FastifyInstance | undefined;
  let server: Server | undefined;
  let client: MetadataServer | undefined;
  let person: Person | undefined;
  let url = '';
  /** Address of the agent server itself, where credentials are needed. */
  let address = '';
  let secret = '';
  // The protocol does not depend on the database.
  beforeAll(async () => {
    stored = await createTestDatabase('embedded');
    database = await openDatabase(stored);
    const { db } = database;
    server = createServer((request, response) => void forward(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    url = origin + MCP;
    const loopback = { ...services, publicUrl: origin };
    const service = await createTestApp(database, { agentLimits: LIMITS, services: loopback });
    app = service;
    person = await makePerson(db, await makeSite(db));
    ({ secret } = await makeAgentKey({ app, db }, person));
    address = (await service.listen({ port: 0, host: '127.0.0.1' })) + MCP;
    // The command has no option for credentials.
    async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const reply = await service.inject({
        method: request.method === 'POST' ? 'POST' : 'GET',
        url: request.url ?? '/',
        headers: { ...request.headers, authorization: `Bearer ${secret}` },
        payload: await text(request),
      });
      const { 'content-length': _, 'transfer-encoding': _encoding, ...headers } = reply.headers;
      response.writeHead(reply.statusCode, headers).end(reply.rawPayload);
    }
  });
  afterAll(async () => {
    server?.close();
    client?.close();
    await app?.close();
    await database?.close();
    await stored?.remove();
  });

  /** Runs the command. @throws Error with its output when a scenario fails unexpectedly, or passes unexpectedly */
  const runScenarios = async (...options: string[]): Promise<string> => {
    const args = [COMMAND, 'server', '--url', url, '--timeout', '5000', ...options];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000, maxBuffer: 1e8 });
    return stdout;
  };

  test('revision 2026-07-28 passes but for the expected failures', async () => {
    const output = await runScenarios('--requirements', '2026-07-28', '--expected-failures', BASELINE);
    expect(output).toContain('✓ http-header-validation: 14 passed, 0 failed');
    expect(output).toContain('✓ dns-rebinding-protection: 2 passed, 0 failed');
  }, 90_000);

  test('revision 2025-11-25 is answered without sessions', async () => {
    const output = await runScenarios('--scenario', 'server-initialize', '--spec-version', '2025-11-25');
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  }, 30_000);

  // The Inspector is fetched from the registry by each run.
  test.skipIf(!isProof)(
    'the command line of the Inspector lists the tools and calls one',
    async () => {
      const { tools: listed } = await inspect(address, secret, '--method', 'tools/list');
      expect(listed).toMatchObject(tools.map(({ name }) => ({ name, annotations: { readOnlyHint: true } })));
      const call = ['--method', 'tools/call', '--tool-name', 'find_users', '--tool-arg', 'search=ada'];
      const { structuredContent } = await inspect(address, secret, ...call);
      expect(structuredContent).toMatchObject({ users: [{ id: person?.userId }] });
      await expect(inspect(address, 'wrong', '--method', 'tools/list')).rejects.toThrow('auth_required');
    },
    600_000,
  );

  test('the authorization server passes its scenarios', async () => {
    if (!app || !person) throw new Error('The service is not running');
    trustLoopbackCertificate();
    client = await startMetadataServer();
    const port = await findFreePort();
    const args = ['--url', new URL(url).origin, '--client-id', client.clientId, '--resource', url];
    const command = spawn(process.execPath, [COMMAND, 'authorization', ...args, '--port', String(port)]);
    const lines: string[] = [];
    // The command prints the address that the person would open.
    for await (const line of createInterface(command.stdout)) {
      lines.push(line);
      if (!line.includes('/api/agent/authorize?')) continue;
      const request = new URL(line.trim()).search.slice(1);
      const api = as(app, person, 'console');
      const { body } = await api.post<AgentApprovalResult>('/api/agent/authorization/approval', { request });
      await fetch(body.address);
    }
    const output = lines.join('\n');
    expect(output).toMatch(/authorization-server-metadata-endpoint: \d+ passed, 0 failed/);
    expect(output).toMatch(/authorization-code-grant: \d+ passed, 0 failed/);
  }, 30_000);
});
