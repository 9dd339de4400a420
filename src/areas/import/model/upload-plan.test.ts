import { afterEach, expect, test, vi } from 'vitest';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { uploadPlan } from './upload-plan.ts';

afterEach(() => vi.unstubAllGlobals());

test('asks for the start of the same job again after one without an answer, and for a new job after that', async () => {
  client.setConfig({ baseUrl: 'https://console.example' });
  let isConnected = true;
  const submitted: string[] = [];
  vi.stubGlobal('fetch', async ({ url, method }: Request) => {
    if (method === 'GET') return Response.json([]);
    if (method === 'PUT') return Response.json({});
    submitted.push(/jobs\/(\d+)/.exec(url)?.[1] ?? '');
    if (!isConnected) throw new TypeError('Failed to fetch');
    return Response.json({ id: 1 }, { status: 202 });
  });
  const start = vi.fn<() => Promise<Job>>().mockImplementation(async () => {
    const id = start.mock.calls.length;
    return Promise.resolve({ id } as Job);
  });
  const upload = () =>
    uploadPlan({
      kind: 'users.import',
      identifiedBy: { fileName: 'people.csv' },
      items: [{ userId: 1 }],
      start,
      onProgress: () => {},
      onChanged: () => {},
    });
  isConnected = false;
  await expect(upload()).rejects.toThrow('The service cannot be reached');
  isConnected = true;
  await upload();
  expect(start).toHaveBeenCalledTimes(1);
  expect(new Set(submitted)).toEqual(new Set(['1']));
  await upload();
  expect(start).toHaveBeenCalledTimes(2);
  expect(submitted.at(-1)).toBe('2');
});
