import { expect, test } from 'vitest';
import { checkOffsets, parseOffsets } from './offset-check.ts';

test('offsets are found in lists, logs and messages', () => {
  expect(parseOffsets('4, 5;6\n7')).toEqual([4, 5, 6, 7]);
  const messages = [41, 42].map((topicOffset) => JSON.stringify({ topicName: 'deals', topicOffset, id: 7 }));
  expect(parseOffsets(messages.join('\n'))).toEqual([41, 42]);
  expect(parseOffsets('none')).toEqual([]);
});

test('a complete reading has neither gaps nor repetitions', () => {
  expect(checkOffsets([7, 8, 9])).toEqual({ count: 3, first: 7, last: 9, gaps: [], repeated: [], late: [] });
  expect(checkOffsets([])).toBeUndefined();
});

test('gaps, repeated offsets and those out of order are told apart', () => {
  expect(checkOffsets([3, 4, 9, 8, 8, 4, 12])).toEqual({
    count: 7,
    first: 3,
    last: 12,
    gaps: [
      { from: 5, to: 7 },
      { from: 10, to: 11 },
    ],
    repeated: [8, 4],
    late: [8],
  });
});
