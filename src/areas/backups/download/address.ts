import type { BackupAddress } from '../../../../contract/generated/types.gen.ts';

/** Why a download from this address is likely to be interrupted; undefined if nothing speaks against it. */
export function findAddressProblem(
  { ipAddress, sessionAddress }: BackupAddress,
  before: BackupAddress | undefined,
): string | undefined {
  if (before && before.ipAddress !== ipAddress)
    return `Your address has just changed from ${before.ipAddress} to ${ipAddress}.`;
  if (sessionAddress !== null && sessionAddress !== ipAddress)
    return `You signed in from ${sessionAddress}, and your address is ${ipAddress} now.`;
  return undefined;
}
