import type { UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import { licenseType, licenseTypes, NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { endAccess } from '../../kernel/auth/store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { lockUser, requireAdministrator, requireAuthorityOver, usersChanged } from '../members/index.ts';
import * as store from './store.ts';

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
        const before = await lockUser(tx, caller.siteId, body.userId);
        if (!before) throw notFound(`User ${body.userId}`);
        requireVersion(call.ifMatch, before.version, `User ${body.userId}`);
        if (before.licenseTypeId === body.licenseTypeId) return;
        // Without a license one may not act: nobody shuts out who may do more than they may.
        if (body.licenseTypeId === NO_LICENSE)
          await requireAuthorityOver(tx, caller, body.userId, 'Taking the license of this user');
        await store.setLicense(tx, caller.siteId, body.userId, body.licenseTypeId);
        if (body.licenseTypeId === NO_LICENSE) {
          await endAccess(tx, caller.siteId, body.userId);
          await requireAdministrator(tx, caller.siteId);
        }
        await usersChanged(tx, caller, [before], 'license.change', record);
      },
      { alone: body.licenseTypeId === NO_LICENSE },
    );
    return ok(undefined);
  },
};
