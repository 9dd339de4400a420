import { expect, test, vi } from 'vitest';
import { ServiceError } from '../../../api/errors.ts';
import type { InviteeCheck } from '../../../api/generated/types.gen.ts';
import { createChecks } from './checks.ts';
import { entryOf, faulty } from './entry.ts';

type Ask = Parameters<typeof createChecks>[0];

const check = (email: string): InviteeCheck => ({ email, outcome: 'invitable', message: '' });
const many = (count: number) => Array.from({ length: count }, (_, at) => entryOf(`p${at}@x.example`));
const settled = (checks: ReturnType<typeof createChecks>) =>
  vi.waitFor(() => {
    if (checks.store.get().asking) throw new Error('still asking');
  });

test('each address is asked about once, at most 200 at a time', async () => {
  const ask = vi.fn<Ask>((emails) => Promise.resolve(emails.map(check)));
  const checks = createChecks(ask);
  checks.want([...many(450), ...many(10), faulty('nobody')]);
  await settled(checks);
  expect(ask.mock.calls.map(([emails]) => emails.length)).toEqual([200, 200, 50]);
  expect(checks.store.get().known.size).toBe(450);
  checks.want(many(451));
  await settled(checks);
  expect(ask.mock.calls.at(-1)?.[0]).toEqual(['p450@x.example']);
  expect(ask).toHaveBeenCalledTimes(4);
});

test('a failure is told and keeps what was answered; trying again goes on', async () => {
  const ask = vi.fn<Ask>((emails) => Promise.resolve(emails.map(check)));
  const checks = createChecks(ask);
  ask.mockImplementationOnce((emails) => Promise.resolve(emails.map(check)));
  ask.mockRejectedValueOnce(new ServiceError(500, 'In trouble'));
  checks.want(many(250));
  await settled(checks);
  expect(checks.store.get()).toMatchObject({ failure: { message: 'In trouble' } });
  expect(checks.store.get().known.size).toBe(200);
  checks.retry();
  await settled(checks);
  expect(checks.store.get().failure).toBeUndefined();
  expect(checks.store.get().known.size).toBe(250);
});

test('what was typed while the service was asked is asked next', async () => {
  const answers: (() => void)[] = [];
  const ask = vi.fn<Ask>(
    (emails) => new Promise<InviteeCheck[]>((done) => answers.push(() => done(emails.map(check)))),
  );
  const checks = createChecks(ask);
  checks.want(many(1));
  checks.want(many(2));
  answers[0]?.();
  await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
  answers[1]?.();
  await settled(checks);
  expect(ask.mock.calls.map(([emails]) => emails)).toEqual([['p0@x.example'], ['p1@x.example']]);
});

test('what has been forgotten is asked again', async () => {
  const ask = vi.fn<Ask>((emails) => Promise.resolve(emails.map(check)));
  const checks = createChecks(ask);
  checks.want(many(2));
  await settled(checks);
  checks.forget(['p0@x.example']);
  checks.want(many(2));
  await settled(checks);
  expect(ask.mock.calls.at(-1)?.[0]).toEqual(['p0@x.example']);
});
