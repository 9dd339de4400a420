import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readChunks } from './read-chunks.ts';

test('a file is read to its end by a browser that refers only weakly to the stream while it waits for the disk', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => at % 256);
  let at = 0;
  const source: UnderlyingByteSource = {
    type: 'bytes',
    pull(controller) {
      const disk = new WeakRef(controller);
      setImmediate(() => {
        collectGarbage();
        const request = disk.deref()?.byobRequest;
        if (!request?.view) return;
        const part = bytes.subarray(at, at + 100);
        new Uint8Array(request.view.buffer, request.view.byteOffset).set(part);
        at += part.length;
        if (part.length === 0) disk.deref()?.close();
        request.respond(part.length);
      });
    },
  };
  const file = Object.assign(new Blob([bytes]), { stream: () => new ReadableStream(source) });
  const [read, counts]: [number[], number[]] = [[], []];
  for await (const chunk of readChunks(file, (count) => counts.push(count))) read.push(...chunk);
  expect(Uint8Array.from(read)).toEqual(bytes);
  expect(counts.at(-1)).toBe(1_000);
});
