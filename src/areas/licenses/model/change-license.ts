import { licenseName } from '../../../../contract/rules/licenses.ts';
import { ServiceError } from '../../../api/errors.ts';
import { getUserLicense, updateUserLicense } from '../../../api/generated/sdk.gen.ts';
import { tagged } from '../../../api/tagged.ts';

/** A change of one person's license, from the one that was on screen. */
export interface LicenseChange {
  userId: number;
  from: number;
  to: number;
}

const read = async (userId: number) => tagged(await getUserLicense({ path: { userId } }));

/**
 * Changes a license, and only the one that was seen: where somebody else was quicker, nothing is sent (shapes 1,
 * If-Match). Afterwards it is read again, so that a service which keeps another license is told and not believed.
 */
export async function changeLicense({ userId, from, to }: LicenseChange): Promise<void> {
  const { data: now, etag } = await read(userId);
  if (now.licenseTypeId === to) return;
  if (now.licenseTypeId !== from) {
    const message = `Somebody else changed it to ${now.description} in the meantime. Nothing was sent.`;
    throw new ServiceError(412, message);
  }
  await updateUserLicense({
    body: { userId, licenseTypeId: to },
    ...(etag !== undefined && { headers: { 'If-Match': etag } }),
  });
  // It was accepted: where it cannot be read, that is no failure of the change.
  const kept = await read(userId).catch(() => undefined);
  if (kept && kept.data.licenseTypeId !== to) {
    const message = `The service accepted ${licenseName(to)}, but says ${kept.data.description} now.`;
    throw new ServiceError(409, message);
  }
}
