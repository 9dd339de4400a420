import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toServiceError } from '../../api/errors.ts';
import { client } from '../../api/generated/client.gen.ts';
import { saveFile } from '../../files/save-file.ts';
import { handOver } from './hand-over.ts';

vi.mock('../../files/save-file.ts', () => ({ saveFile: vi.fn<typeof saveFile>() }));

const file = { name: 'users.csv', rows: 120 };
const blob = new Blob(['x']);
const asked: unknown[] = [];
let status = 204;
let saved = 0;
const before = client.getConfig().fetch;
client.interceptors.error.use((error, response) => toServiceError(error, response));

beforeEach(() => {
  asked.length = 0;
  saved = 0;
  vi.mocked(saveFile).mockImplementation(() => {
    saved += 1;
  });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      if (request instanceof Request) asked.push(saved, new URL(request.url).pathname, await request.json());
      return status === 204
        ? new Response(null, { status })
        : Response.json({ message: 'You act for Ann Marsh' }, { status });
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

test('an export is recorded before its file is handed over', async () => {
  status = 204;
  await handOver('users', file, blob);
  expect(asked).toEqual([
    0,
    '/console/api/session/export',
    { exportDataType: 0, subject: 'users', rows: 120 },
  ]);
  expect(saved).toBe(1);
});

test('what is not recorded is not handed over', async () => {
  status = 403;
  await expect(handOver('users', file, blob)).rejects.toThrow('You act for Ann Marsh');
  expect(saved).toBe(0);
});
