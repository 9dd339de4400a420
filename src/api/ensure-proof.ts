import { getOwnSecurity } from './generated/sdk/access.gen.ts';
import { requestProof } from './step-up.ts';

/** Requests a proof of presence unless one is valid; call it once before many calls. False if the user cancels. */
export async function ensureProof(): Promise<boolean> {
  const { data } = await getOwnSecurity();
  return data.provenUntil !== null || requestProof();
}
