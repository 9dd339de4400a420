import type { UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import { licenseType, licenseTypes } from '../../../contract/rules/licenses.ts';
import { capabilitiesOf, endAccess } from '../../kernel/auth/store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { requireAdministrator, requireHeld, touchUsers } from '../sites/index.ts';
import * as store from './store.ts';

/** License type 4: the user keeps everything but may not act (spec 2.2). */
const NO_LICENSE = 4;

function shown({ userId, licenseTypeId }: store.StoredLicense): UserLicenseInfoResponse {
  const type = licenseType(licenseTypeId);
  if (!type) throw new Error(`License type ${licenseTypeId} is stored but not known`);
  return { userId, ...type };
}

export const licenseHandlers: Handlers<'getUserLicense' | 'updateUserLicense' | 'searchUserLicenses'> = {
  async searchUserLicenses({ db, caller, query }) {
    const { isBillable } = query;
    const types =
      isBillable === undefined
        ? undefined
        : licenseTypes.filter((type) => type.isBillable === isBillable).map((type) => type.licenseTypeId);
    return ok((await store.listLicenses(db, caller.siteId, types, pageOf(query))).map(shown));
  },

  async getUserLicense({ db, caller, params }) {
    const license = await store.getLicense(db, caller.siteId, params.userId);
    if (!license) throw notFound(`User ${params.userId}`);
    return ok(shown(license), { etag: etagOf(license.version) });
  },

  async updateUserLicense(call) {
    const { caller, body } = call;
    await change(
      call.db,
      actorOf(call),
      async (tx, record) => {
        const before = await store.getLicense(tx, caller.siteId, body.userId, true);
        if (!before) throw notFound(`User ${body.userId}`);
        requireVersion(call.ifMatch, before.version, `User ${body.userId}`);
        if (before.licenseTypeId === body.licenseTypeId) return;
        // Without a license one may not act: nobody shuts out who may do more than they may.
        if (body.licenseTypeId === NO_LICENSE && body.userId !== caller.userId) {
          const held = await capabilitiesOf(tx, caller.siteId, caller.userId);
          requireHeld(
            held,
            await capabilitiesOf(tx, caller.siteId, body.userId),
            'Taking the license of this user',
          );
        }
        await store.setLicense(tx, caller.siteId, body.userId, body.licenseTypeId);
        if (body.licenseTypeId === NO_LICENSE) {
          await endAccess(tx, caller.siteId, body.userId);
          await requireAdministrator(tx, caller.siteId);
        }
        await touchUsers(tx, caller.siteId, [body.userId], caller.userId);
        record({
          action: 'license.change',
          subject: ['user', body.userId],
          changes: { licenseTypeId: [before.licenseTypeId, body.licenseTypeId] },
          event: {
            topic: 'default-users',
            entityType: 'Users',
            kind: 'updated',
            entity: { id: body.userId, licenseTypeId: body.licenseTypeId },
          },
        });
      },
      { alone: body.licenseTypeId === NO_LICENSE },
    );
    return ok(undefined);
  },
};
