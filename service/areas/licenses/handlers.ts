import type { UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import { licenseType, licenseTypes, NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { endAccess } from '../../kernel/auth/store.ts';
import { actorOf, change } from '../../kernel/change.ts';
import { notFound } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { lockUser, requireAdministrator, requireAuthorityOver, usersChanged } from '../members/index.ts';
import { readDays, seatsOf } from './seats.ts';
import * as store from './store.ts';

/** The contract's default: three months. */
const DAYS_UNUSED = 90;

function shown({ userId, licenseTypeId }: store.StoredLicense): UserLicenseInfoResponse {
  const type = licenseType(licenseTypeId);
  if (!type) throw new Error(`License type ${licenseTypeId} is stored but not known`);
  return { userId, ...type };
}

type Operations =
  | 'getUserLicense'
  | 'updateUserLicense'
  | 'searchUserLicenses'
  | 'getUserLicenseHistory'
  | 'listLicenseSeats'
  | 'listUnusedLicenses';

export const licenseHandlers: Handlers<Operations> = {
  async searchUserLicenses({ db, caller, query }) {
    const { isBillable } = query;
    const types = licenseTypes
      .filter((type) => isBillable === undefined || type.isBillable === isBillable)
      .map((type) => type.licenseTypeId);
    return ok((await store.listLicenses(db, caller.siteId, types, pageOf(query))).map(shown));
  },

  async listUnusedLicenses({ db, caller, query }) {
    const idle = await store.listIdle(db, caller.siteId, query.days ?? DAYS_UNUSED, pageOf(query));
    return ok(
      idle.map((each) => ({ ...each, lastActivityDate: each.lastActivityDate?.toISOString() ?? null })),
    );
  },

  async listLicenseSeats({ db, caller, query }) {
    const days = readDays(query, Date.now());
    const [first] = days;
    if (first === undefined) return ok([]);
    return ok(seatsOf(days, await store.readSeats(db, caller.siteId, new Date(first))));
  },

  async getUserLicenseHistory({ db, caller, params, query }) {
    if (!(await store.getLicense(db, caller.siteId, params.userId))) throw notFound(`User ${params.userId}`);
    const changes = await store.listChanges(db, caller.siteId, params.userId, pageOf(query));
    return ok(changes.map((each) => ({ ...each, date: each.date.toISOString() })));
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
