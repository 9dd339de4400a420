import { expect, test, vi } from 'vitest';
import { provenBefore } from './proven-before.ts';
import { proofAsked, settleProof } from './step-up.ts';

const provenUntil = vi.hoisted(() => ({ now: null as string | null }));
vi.mock('./generated/sdk.gen.ts', () => ({
  getOwnSecurity: () => Promise.resolve({ data: { provenUntil: provenUntil.now } }),
}));

test('a proof that holds is not asked for again; without one it is, once, and may be turned away', async () => {
  provenUntil.now = '2026-03-01T08:00:00.000Z';
  expect(await provenBefore()).toBe(true);
  expect(proofAsked.get()).toBe(false);

  provenUntil.now = null;
  for (const answer of [true, false]) {
    const before = provenBefore();
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await vi.waitFor(() => expect(proofAsked.get()).toBe(true));
    settleProof(answer);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await before).toBe(answer);
    expect(proofAsked.get()).toBe(false);
  }
});
