import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { begun } from './parts.ts';

async function* failing(): AsyncGenerator<string> {
  yield* [];
  throw new Error('The database is gone');
}

async function* endless(end: () => void): AsyncGenerator<string> {
  try {
    for (;;) yield 'x';
  } finally {
    end();
  }
}

test('parts come in order, all of them once', async () => {
  const parts = Readable.from(['[', '1', ']']);
  expect(await Array.fromAsync(Readable.from(await begun(parts)))).toEqual(['[', '1', ']']);
  expect(await Array.fromAsync(await begun(Readable.from([])))).toEqual([]);
});

test('what fails before the first part is an error', async () => {
  await expect(begun(failing())).rejects.toThrow('The database is gone');
});

test.each([0, 1])('a reader who goes after %d parts ends them', async (read) => {
  const ended = Promise.withResolvers<string>();
  const stream = Readable.from(await begun(endless(() => ended.resolve('ended'))));
  if (read > 0) await stream[Symbol.asyncIterator]().next();
  stream.destroy();
  expect(await ended.promise).toBe('ended');
});
