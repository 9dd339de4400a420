import { expect, it } from 'vitest';
import type { AgentCallSummary } from '../../../../contract/generated/types.gen.ts';
import { buildCallSeries } from './call-series.ts';

const agent = (keyId: number) => ({
  keyId,
  keyName: `Agent ${keyId}`,
  userId: 1,
  userName: 'Ada Marsh',
  calls: 9 - keyId,
  refused: 0,
  rows: 0,
  values: 0,
});

const summary: AgentCallSummary = {
  dateFrom: '2026-03-30T10:00:00.000Z',
  dateTo: '2026-03-30T10:40:00.000Z',
  bucketMinutes: 15,
  calls: 8,
  refused: 2,
  flagged: 0,
  rows: 0,
  entries: 0,
  agents: [1, 2, 3, 4, 5].map(agent),
  buckets: [
    { date: '2026-03-30T10:00:00.000Z', keyId: 1, calls: 5, refused: 2 },
    { date: '2026-03-30T10:30:00.000Z', keyId: 4, calls: 2, refused: 0 },
    { date: '2026-03-30T10:30:00.000Z', keyId: 5, calls: 1, refused: 0 },
    // Outside of the period.
    { date: '2026-03-30T11:00:00.000Z', keyId: 1, calls: 1, refused: 0 },
  ],
  cells: [],
};

it('has a value per bucket, a series for three agents, the others, and refused calls', () => {
  const { steps, series } = buildCallSeries(summary);
  expect(steps).toEqual(['2026-03-30T10:00:00.000Z', '2026-03-30T10:15:00.000Z', '2026-03-30T10:30:00.000Z']);
  expect(series).toEqual([
    { label: 'Agent 1', tone: 1, values: [3, 0, 0] },
    { label: 'Agent 2', tone: 2, values: [0, 0, 0] },
    { label: 'Agent 3', tone: 3, values: [0, 0, 0] },
    { label: 'Other agents', tone: 4, values: [0, 0, 3] },
    { label: 'Refused', tone: 5, values: [2, 0, 0] },
  ]);
  const days = buildCallSeries({ ...summary, bucketMinutes: 1440 });
  expect(days.steps).toEqual(['2026-03-30']);
});
