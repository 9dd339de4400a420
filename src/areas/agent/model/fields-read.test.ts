import { expect, it } from 'vitest';
import { collectFieldsRead } from './fields-read.ts';

const call = (keyId: number, date: string, fieldIds: number[], entryIds: number[] = []) => ({
  date,
  keyId,
  keyName: `Agent ${keyId}`,
  userId: 1,
  userName: 'Ada Marsh',
  fieldIds,
  flags: entryIds.map((entryId) => ({ entryId, fieldId: 5 })),
  outcome: 'Ok' as const,
});

it('lists the fields that each agent read, with the first and last time', () => {
  const seen = collectFieldsRead(
    [
      call(1, '2026-03-03', [5, 6], [8]),
      { ...call(1, '2026-03-02T12:00', [9]), outcome: 'Failed' },
      call(2, '2026-03-02', [5], [7]),
      call(1, '2026-03-01', [6]),
    ],
    7,
  );
  expect(seen).toMatchObject([
    { keyId: 1, calls: 2, lastDate: '2026-03-03', isFlagged: false },
    { keyId: 2, calls: 1, lastDate: '2026-03-02', isFlagged: true },
  ]);
  expect(seen[0]?.fields).toEqual([
    { fieldId: 5, calls: 1, firstDate: '2026-03-03', lastDate: '2026-03-03' },
    { fieldId: 6, calls: 2, firstDate: '2026-03-01', lastDate: '2026-03-03' },
  ]);
});
