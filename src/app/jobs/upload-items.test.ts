import { afterEach, expect, test, vi } from 'vitest';
import { client } from '../../api/generated/client.gen.ts';
import { uploadParts } from './upload-items.ts';

const parts = Array.from({ length: 5 }, (_, at) => ({ items: [], firstItem: at + 1, sha256: `${at}` }));
const getPart = (url: string) => Number(/parts\/(\d+)/.exec(url)?.[1]);

/** Answers requests when the test says so. */
function stubService() {
  const open = new Map<number, (response: Response) => void>();
  const sent: number[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const part = getPart(request.url);
    if (Number.isNaN(part)) return Response.json({ id: 1 }, { status: 202 });
    sent.push(part);
    return new Promise<Response>((resolve) => open.set(part, resolve));
  });
  const answer = async (part: number, status = 200) => {
    await vi.waitFor(() => expect(open.has(part)).toBe(true), { timeout: 20_000 });
    open.get(part)?.(Response.json({ message: `Status ${status}` }, { status }));
  };
  return { sent, answer };
}

afterEach(() => vi.unstubAllGlobals());

test('sends two parts at a time, without those that have arrived, and then starts the job', async () => {
  client.setConfig({ baseUrl: 'https://console.example' });
  const { sent, answer } = stubService();
  const received = [{ part: 2, firstItem: 2, count: 1, bytes: 9, sha256: '1', receivedDate: '' }];
  const shares: number[] = [];
  const done = uploadParts({ id: 1 }, parts, { received, onProgress: (share) => shares.push(share) });
  await answer(3);
  await answer(4);
  expect(sent).toEqual([1, 3, 4]);
  await answer(1);
  await answer(5);
  expect(await done).toEqual({ id: 1 });
  expect(shares).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
});

test('sends no further part after one was refused', async () => {
  client.setConfig({ baseUrl: 'https://console.example' });
  const { sent, answer } = stubService();
  const done = uploadParts({ id: 1 }, parts, { onProgress: () => {} });
  await Promise.all([expect(done).rejects.toThrow('Status 409'), answer(1, 409).then(() => answer(2))]);
  expect(sent).toEqual([1, 2]);
});

const upload = () => uploadParts({ id: 1 }, [], { onProgress: () => {} });

test('asks again for a job of whose start no answer came', async () => {
  client.setConfig({ baseUrl: 'https://console.example' });
  const fetchOnce = vi
    .fn<() => Promise<Response>>()
    .mockRejectedValueOnce(new TypeError('Failed to fetch'))
    .mockResolvedValueOnce(Response.json({ id: 1 }, { status: 202 }))
    .mockResolvedValueOnce(Response.json({ message: 'Parts are missing' }, { status: 409 }));
  vi.stubGlobal('fetch', fetchOnce);
  expect(await upload()).toEqual({ id: 1 });
  await expect(upload()).rejects.toThrow('Parts are missing');
  expect(fetchOnce).toHaveBeenCalledTimes(3);
});
