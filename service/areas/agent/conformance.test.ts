/** The conformance scenarios of the protocol for servers, run by its own command against a listening service. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../kernel/db/database.ts';
import { makeAgentKey, MCP } from '../../testing/agents.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/databases.ts';
import { createTestApp, makePerson, makeSite, services } from '../../testing/site.ts';

const COMMAND = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const BASELINE = fileURLToPath(new URL('conformance-expected-failures.yaml', import.meta.url));
const LIMITS = { callsPerMinute: 10_000, rowsPerMinute: 100_000, siteCallsPerMinute: 10_000 };

describe('conformance', () => {
  let stored: TestDatabase | undefined;
  let database: Database | undefined;
  let app: FastifyInstance | undefined;
  let server: Server | undefined;
  let url = '';
  // The protocol does not depend on the database.
  beforeAll(async () => {
    stored = await createTestDatabase('embedded');
    database = await openDatabase(stored);
    const { db } = database;
    const loopback = { ...services, publicUrl: 'http://127.0.0.1:4400' };
    const service = await createTestApp(database, { agentLimits: LIMITS, services: loopback });
    app = service;
    const { secret } = await makeAgentKey({ app, db }, await makePerson(db, await makeSite(db)));
    // The command has no option for credentials.
    const forward = async (request: IncomingMessage, response: ServerResponse) => {
      const reply = await service.inject({
        method: request.method === 'POST' ? 'POST' : 'GET',
        url: request.url ?? '/',
        headers: { ...request.headers, authorization: `Bearer ${secret}` },
        payload: await text(request),
      });
      const { 'content-length': _, 'transfer-encoding': _encoding, ...headers } = reply.headers;
      response.writeHead(reply.statusCode, headers).end(reply.rawPayload);
    };
    server = createServer((request, response) => void forward(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${MCP}`;
  });
  afterAll(async () => {
    server?.close();
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
});
