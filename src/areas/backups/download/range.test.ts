import { expect, test } from 'vitest';
import { judge, rangeHeaders } from './range.ts';

const answer = (status: number, etag: string | null = null, contentRange: string | null = null) => ({
  status,
  etag,
  contentRange,
});

test('asks for the rest, with the tag only where it can say that the file is the same', () => {
  expect(rangeHeaders({ received: 0, etag: '"a"' })).toEqual({});
  expect(rangeHeaders({ received: 7, etag: '"a"' })).toEqual({ Range: 'bytes=7-', 'If-Range': '"a"' });
  expect(rangeHeaders({ received: 7, etag: 'W/"a"' })).toEqual({ Range: 'bytes=7-' });
  expect(rangeHeaders({ received: 7, etag: undefined })).toEqual({ Range: 'bytes=7-' });
});

test.each([
  [0, '"a"', answer(200), 'take'],
  [7, '"a"', answer(206, '"a"', 'bytes 7-9/10'), 'take'],
  [7, undefined, answer(206, null, 'bytes 7-9/10'), 'take'],
  [7, '"a"', answer(206, '"a"', 'bytes 0-9/10'), 'changed'],
  [7, 'W/"a"', answer(206, 'W/"b"', 'bytes 7-9/10'), 'changed'],
  [7, '"a"', answer(200, '"b"'), 'changed'],
  [7, undefined, answer(200), 'changed'],
  [7, '"a"', answer(200, '"a"'), 'over'],
  [7, '"a"', answer(416), 'changed'],
  [0, undefined, answer(403), 'foreign'],
  [0, undefined, answer(404), 'ended'],
  [0, undefined, answer(409), 'refused'],
  [0, undefined, answer(429), 'later'],
  [0, undefined, answer(503), 'later'],
] as const)('%d bytes of %s here, answered %o: %s', (received, etag, head, verdict) => {
  expect(judge({ received, etag }, head)).toBe(verdict);
});
