import { getLicenseName } from '../../../../contract/rules/people/licenses.ts';
import { ServiceError } from '../../../api/errors.ts';
import { withEtag } from '../../../api/etag.ts';
import { getUserLicense, updateUserLicense } from '../../../api/generated/sdk/licenses.gen.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';

/** Change of one user's license, from the one shown. */
export interface LicenseChange {
  userId: number;
  from: number;
  to: number;
}

const loadLicense = async (userId: number) => withEtag(await getUserLicense({ path: { userId } }));

/**
 * Changes a license if it is still the one shown; otherwise nothing is sent (shapes 1, If-Match). Afterwards it is read
 * again to verify that the service stored it. @throws ServiceError
 */
export async function changeLicense({ userId, from, to }: LicenseChange): Promise<void> {
  const { data: current, etag } = await loadLicense(userId);
  if (current.licenseTypeId === to) return;
  if (current.licenseTypeId !== from) {
    const message = `Someone else changed it to ${current.description} in the meantime. Nothing was sent.`;
    throw new ServiceError(412, message);
  }
  await updateUserLicense({
    body: { userId, licenseTypeId: to },
    ...(etag !== undefined && { headers: { 'If-Match': etag } }),
  });
  // The change was accepted; a failed read does not fail it.
  const stored = await loadLicense(userId).catch(() => undefined);
  if (stored && stored.data.licenseTypeId !== to) {
    const message = `The service accepted ${getLicenseName(to)}, but says ${stored.data.description} now.`;
    throw new ServiceError(409, message);
  }
}

/** Asks for confirmation before a user loses the license, which ends their sessions. */
export const confirmNoLicense = (name: string): Promise<boolean> =>
  confirm({
    title: `Remove the license from ${name}?`,
    body: 'Users without a license keep their data and groups but can’t use the site. Their sessions end immediately.',
    action: 'Remove license',
    danger: true,
  });
