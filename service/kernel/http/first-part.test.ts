import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { awaitFirstPart } from './first-part.ts';

async function* generateFailure(): AsyncGenerator<string> {
  yield* [];
  throw new Error('The database stopped');
}

async function* generateEndlessly(end: () => void): AsyncGenerator<string> {
  try {
    for (;;) yield 'x';
  } finally {
    end();
  }
}

test('streams all parts once and in order', async () => {
  const parts = Readable.from(['[', '1', ']']);
  expect(await Array.fromAsync(Readable.from(await awaitFirstPart(parts)))).toEqual(['[', '1', ']']);
  expect(await Array.fromAsync(await awaitFirstPart(Readable.from([])))).toEqual([]);
});

test('rejects when the source fails before the first part', async () => {
  await expect(awaitFirstPart(generateFailure())).rejects.toThrow('The database stopped');
});

test.each([0, 1])('ends the source when the reader stops after %d parts', async (readCount) => {
  const ended = Promise.withResolvers<string>();
  const stream = Readable.from(await awaitFirstPart(generateEndlessly(() => ended.resolve('ended'))));
  if (readCount > 0) await stream[Symbol.asyncIterator]().next();
  stream.destroy();
  expect(await ended.promise).toBe('ended');
});
