import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toServiceError } from '../../api/errors.ts';
import { client } from '../../api/generated/client.gen.ts';
import { saveFile } from '../../files/download.ts';
import { recordAndSave } from './hand-over.ts';

vi.mock('../../files/download.ts', () => ({ saveFile: vi.fn<typeof saveFile>() }));

const file = { name: 'users.csv', rows: 120 };
const blob = new Blob(['x']);
const requests: unknown[] = [];
let status = 204;
let saved = 0;
const before = client.getConfig().fetch;
client.interceptors.error.use((error, response) => toServiceError(error, response));

beforeEach(() => {
  requests.length = 0;
  saved = 0;
  vi.mocked(saveFile).mockImplementation(() => {
    saved += 1;
  });
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    fetch: async (request) => {
      if (request instanceof Request)
        requests.push(saved, new URL(request.url).pathname, await request.json());
      return status === 204
        ? new Response(null, { status })
        : Response.json({ message: 'You act for Ann Marsh' }, { status });
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

test('records an export before saving its file', async () => {
  status = 204;
  await recordAndSave('users', file, blob);
  expect(requests).toEqual([
    0,
    '/console/api/session/export',
    { exportDataType: 0, subject: 'users', rows: 120 },
  ]);
  expect(saved).toBe(1);
});

test('does not save a file if recording is refused', async () => {
  status = 403;
  await expect(recordAndSave('users', file, blob)).rejects.toThrow('You act for Ann Marsh');
  expect(saved).toBe(0);
});
