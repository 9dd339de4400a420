import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import { startRun, tally } from './job.ts';
import type { InvitationRun } from './job.ts';
import type { Order } from './order.ts';
import { perform } from './perform.ts';

vi.mock('./perform.ts', () => ({ perform: vi.fn<typeof perform>() }));
const sent = vi.mocked(perform);
const done = { result: 'done', words: 'Revoked' } as const;
const refused = { result: 'failed', words: 'Is not pending' } as const;

const orders = (count: number): Order[] =>
  Array.from({ length: count }, (_, at) => ({ does: 'revoke', id: at + 1, email: `p${at}@x.example` }));

/** Begins, and tells the latest state. */
function begin(those: readonly Order[]): () => InvitationRun {
  let latest: InvitationRun | undefined;
  startRun({
    title: 'Revoke',
    orders: those,
    client: new QueryClient(),
    onShow(run) {
      latest = run;
    },
  });
  return () => {
    if (!latest) throw new Error('Nothing was shown');
    return latest;
  };
}
const reach = (run: () => InvitationRun, state: InvitationRun['state']) =>
  vi.waitFor(() => expect(run().state).toBe(state));

beforeEach(() => {
  sent.mockReset();
});

test('a failure stops no other, and only what failed is sent again', async () => {
  const those = orders(10);
  sent.mockImplementation((order) => Promise.resolve(order === those[3] ? refused : done));
  const run = begin(those);
  await reach(run, 'failed');
  expect(tally(run())).toEqual({ done: 9, failed: 1, left: 0 });
  sent.mockClear();
  sent.mockResolvedValue(done);
  run().again();
  await reach(run, 'done');
  expect(sent.mock.calls.map(([order]) => order)).toEqual([those[3]]);
});

test('where nobody answers it stops, keeps the rest and goes on with what may have arrived', async () => {
  const those = orders(10);
  sent.mockResolvedValueOnce(done);
  sent.mockRejectedValue(new ServiceError(0, 'The service cannot be reached'));
  const run = begin(those);
  await reach(run, 'stopped');
  expect(run().trouble).toBe('The service cannot be reached');
  expect(tally(run()).left).toBe(9);
  sent.mockReset();
  sent.mockResolvedValue(done);
  run().goOn();
  await reach(run, 'done');
  expect(sent.mock.calls.filter(([, { unsure }]) => unsure).length).toBeGreaterThan(0);
});

test('too many in an hour stops it before all are refused', async () => {
  sent.mockResolvedValue({ result: 'failed', words: 'Possible again in 1 hour', tooOften: true });
  const run = begin(orders(50));
  await reach(run, 'stopped');
  expect(run().trouble).toBe('Possible again in 1 hour');
  expect(tally(run()).left).toBeGreaterThan(40);
});

test('a wait is told, and ends at once when somebody stops', async () => {
  sent.mockImplementation((_order, { wait }) => wait(60).then(() => done));
  const run = begin(orders(3));
  await vi.waitFor(() => expect(run().trouble).toMatch(/going on in 60 seconds/));
  run().stop();
  await reach(run, 'stopped');
  expect(tally(run())).toEqual({ done: 0, failed: 0, left: 3 });
});
