import { expect, test, vi } from 'vitest';
import { ensureProof } from './ensure-proof.ts';
import { isProofRequested, settleProof } from './step-up.ts';

const provenUntil = vi.hoisted(() => ({ now: null as string | null }));
vi.mock('./generated/sdk/access.gen.ts', () => ({
  getOwnSecurity: () => Promise.resolve({ data: { provenUntil: provenUntil.now } }),
}));

test('requests a proof only without a valid one, and returns whether it was given', async () => {
  provenUntil.now = '2026-03-01T08:00:00.000Z';
  expect(await ensureProof()).toBe(true);
  expect(isProofRequested.get()).toBe(false);

  provenUntil.now = null;
  for (const answer of [true, false]) {
    const pendingProof = ensureProof();
    await vi.waitFor(() => expect(isProofRequested.get()).toBe(true), { timeout: 20_000 });
    settleProof(answer);
    expect(await pendingProof).toBe(answer);
    expect(isProofRequested.get()).toBe(false);
  }
});
