import { getOwnSecurity } from './generated/sdk.gen.ts';
import { provenPresence } from './step-up.ts';

/** Asks for the proof before many calls would each ask for it; false where the person would not give it. */
export async function provenBefore(): Promise<boolean> {
  const { data } = await getOwnSecurity();
  return data.provenUntil !== null || provenPresence();
}
