import { QueryClient } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import { executeRequest } from './execute-request.ts';
import { startInvitationRun, countResults } from './job.ts';
import type { InvitationRun } from './job.ts';
import type { InvitationRequest } from './requests.ts';

vi.mock('./execute-request.ts', () => ({ executeRequest: vi.fn<typeof executeRequest>() }));
const sent = vi.mocked(executeRequest);
const done = { result: 'done', message: 'Revoked' } as const;
const refused = { result: 'failed', message: 'Is not pending' } as const;

const orders = (count: number): InvitationRequest[] =>
  Array.from({ length: count }, (_, at) => ({ action: 'revoke', id: at + 1, email: `p${at}@x.example` }));

/** Starts a run and returns its latest state. */
function begin(selected: readonly InvitationRequest[]): () => InvitationRun {
  let latest: InvitationRun | undefined;
  startInvitationRun({
    title: 'Revoke',
    requests: selected,
    client: new QueryClient(),
    onUpdate(run) {
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

test('continues after a failure and retries only failed requests', async () => {
  const selected = orders(10);
  sent.mockImplementation((order) => Promise.resolve(order === selected[3] ? refused : done));
  const run = begin(selected);
  await reach(run, 'failed');
  expect(countResults(run())).toEqual({ done: 9, failed: 1, left: 0 });
  sent.mockClear();
  sent.mockResolvedValue(done);
  run().retryFailed();
  await reach(run, 'done');
  expect(sent.mock.calls.map(([order]) => order)).toEqual([selected[3]]);
});

test('stops if the service does not answer and resumes with requests that may be stored', async () => {
  const selected = orders(10);
  sent.mockResolvedValueOnce(done);
  sent.mockRejectedValue(new ServiceError(0, 'The service cannot be reached'));
  const run = begin(selected);
  await reach(run, 'stopped');
  expect(run().error).toBe('The service cannot be reached');
  expect(countResults(run()).left).toBe(9);
  sent.mockReset();
  sent.mockResolvedValue(done);
  run().resume();
  await reach(run, 'done');
  expect(sent.mock.calls.filter(([, { mayBeStored }]) => mayBeStored).length).toBeGreaterThan(0);
});

test('stops at the hourly limit before all requests are refused', async () => {
  sent.mockResolvedValue({ result: 'failed', message: 'Possible again in 1 hour', isRateLimited: true });
  const run = begin(orders(50));
  await reach(run, 'stopped');
  expect(run().error).toBe('Possible again in 1 hour');
  expect(countResults(run()).left).toBeGreaterThan(40);
});

test('reports a wait and ends it when stopped', async () => {
  sent.mockImplementation((_order, { wait }) => wait(60).then(() => done));
  const run = begin(orders(3));
  await vi.waitFor(() => expect(run().error).toMatch(/continuing in 60 seconds/));
  run().stop();
  await reach(run, 'stopped');
  expect(countResults(run())).toEqual({ done: 0, failed: 0, left: 3 });
});
