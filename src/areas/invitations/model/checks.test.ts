import { expect, test, vi } from 'vitest';
import type { InviteeCheck } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { createEntry, createInvalidEntry } from './addresses.ts';
import { createAddressChecker } from './checks.ts';

type Ask = Parameters<typeof createAddressChecker>[0];

const check = (email: string): InviteeCheck => ({ email, outcome: 'invitable', message: '' });
const many = (count: number) => Array.from({ length: count }, (_, at) => createEntry(`p${at}@x.example`));
const settled = (checks: ReturnType<typeof createAddressChecker>) =>
  vi.waitFor(
    () => {
      if (checks.store.get().isChecking) throw new Error('still asking');
    },
    { timeout: 20_000 },
  );

test('checks each address once, at most 200 per request', async () => {
  const ask = vi.fn<Ask>((emails) => Promise.resolve(emails.map(check)));
  const checks = createAddressChecker(ask);
  checks.check([...many(450), ...many(10), createInvalidEntry('nobody')]);
  await settled(checks);
  expect(ask.mock.calls.map(([emails]) => emails.length)).toEqual([200, 200, 50]);
  expect(checks.store.get().checkByKey.size).toBe(450);
  checks.check(many(451));
  await settled(checks);
  expect(ask.mock.calls.at(-1)?.[0]).toEqual(['p450@x.example']);
  expect(ask).toHaveBeenCalledTimes(4);
});

test('reports an error, keeps earlier answers and continues on retry', async () => {
  const ask = vi.fn<Ask>((emails) => Promise.resolve(emails.map(check)));
  const checks = createAddressChecker(ask);
  ask.mockImplementationOnce((emails) => Promise.resolve(emails.map(check)));
  ask.mockRejectedValueOnce(new ServiceError(500, 'In trouble'));
  checks.check(many(250));
  await settled(checks);
  expect(checks.store.get()).toMatchObject({ error: { message: 'In trouble' } });
  expect(checks.store.get().checkByKey.size).toBe(200);
  checks.retry();
  await settled(checks);
  expect(checks.store.get().error).toBeUndefined();
  expect(checks.store.get().checkByKey.size).toBe(250);
});

test('checks addresses added during a request next', async () => {
  const answers: (() => void)[] = [];
  const ask = vi.fn<Ask>(
    (emails) => new Promise<InviteeCheck[]>((done) => answers.push(() => done(emails.map(check)))),
  );
  const checks = createAddressChecker(ask);
  checks.check(many(1));
  checks.check(many(2));
  answers[0]?.();
  await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2), { timeout: 20_000 });
  answers[1]?.();
  await settled(checks);
  expect(ask.mock.calls.map(([emails]) => emails)).toEqual([['p0@x.example'], ['p1@x.example']]);
});

test('checks cleared addresses again', async () => {
  const ask = vi.fn<Ask>((emails) => Promise.resolve(emails.map(check)));
  const checks = createAddressChecker(ask);
  checks.check(many(2));
  await settled(checks);
  checks.clear(['p0@x.example']);
  checks.check(many(2));
  await settled(checks);
  expect(ask.mock.calls.at(-1)?.[0]).toEqual(['p0@x.example']);
});
