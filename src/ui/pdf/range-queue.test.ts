import { expect, test } from 'vitest';
import { createRangeQueue, MAX_READ_BYTES } from './range-queue.ts';

/** Counts in its bytes: the byte at an offset is the offset modulo 251. */
const makeBytes = (begin: number, end: number) =>
  Uint8Array.from({ length: end - begin }, (_, at) => (begin + at) % 251);

function openQueue() {
  const reads: {
    begin: number;
    end: number;
    answer: (bytes: Uint8Array) => void;
    fail: (error: Error) => void;
  }[] = [];
  const received = new Map<number, Uint8Array>();
  const failures: unknown[] = [];
  const queue = createRangeQueue({
    read(begin, end) {
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
      reads.push({ begin, end, answer: resolve, fail: reject });
      return promise;
    },
    onRange: (begin, bytes) => received.set(begin, bytes),
    onFailure: (error) => failures.push(error),
  });
  const answer = async (at: number) => {
    const read = reads[at];
    read?.answer(makeBytes(read.begin, read.end));
    await Promise.resolve().then(() => undefined);
  };
  const listReads = () => reads.map(({ begin, end }) => [begin, end]);
  return { queue, reads, received, failures, answer, listReads };
}

test('joins ranges that wait and follow each other, the newest first', async () => {
  const { queue, received, answer, listReads } = openQueue();
  for (const begin of [900, 800, 700, 600]) queue.request(begin, begin + 100);
  // As pdf.js requests the pages of a list, and one that follows nothing.
  for (const begin of [400, 300, 50, 200, 100]) queue.request(begin, begin + (begin === 50 ? 10 : 100));
  expect(listReads()).toEqual([900, 800, 700, 600].map((begin) => [begin, begin + 100]));
  await answer(2);
  expect(listReads().slice(4)).toEqual([[100, 500]]);
  await answer(4);
  expect(listReads().slice(5)).toEqual([[50, 60]]);
  expect([...received.keys()]).toEqual([700, 100, 200, 300, 400]);
  for (const [begin, bytes] of received) expect(bytes).toEqual(makeBytes(begin, begin + 100));
});

test('a range is joined with those before it, up to the limit of a read', async () => {
  const { queue, answer, listReads } = openQueue();
  for (let at = 0; at < 4; at += 1) queue.request(at, at + 1);
  const quarter = MAX_READ_BYTES / 4;
  for (let at = 1; at <= 6; at += 1) queue.request(at * quarter, (at + 1) * quarter);
  await answer(0);
  await answer(1);
  expect(listReads().slice(4)).toEqual([
    [3 * quarter, 7 * quarter],
    [quarter, 3 * quarter],
  ]);
});

test('a failed read is reported, and the others go on', async () => {
  const { queue, reads, received, failures, answer } = openQueue();
  queue.request(0, 10);
  queue.request(20, 30);
  const error = new Error('The connection was lost');
  reads[0]?.fail(error);
  await answer(1);
  await expect.poll(() => failures).toEqual([error]);
  expect([...received.keys()]).toEqual([20]);
});
