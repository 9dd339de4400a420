import type { UserLicenseInfoResponse } from '../../../contract/generated/types.gen.ts';
import { findLicenseType, licenseTypes, NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { notFound } from '../../kernel/api-error.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion, parsePage } from '../../kernel/http/parameters.ts';
import { getListedItems, requireUniqueUsers, startJob } from '../jobs/index.ts';
import { lockUser, requireAuthorityOver } from '../members/index.ts';
import * as store from './licenses.store.ts';
import { computeDailySeats, forecastDailySeats, getEnd, listNextDays, parseDays } from './seats.ts';
import { setLicenses } from './set-licenses.ts';

/** Defaults of the contract. */
const DEFAULT_UNUSED_DAYS = 90;
const DEFAULT_FORECAST_DAYS = 90;

function toLicenseInfo({ userId, licenseTypeId }: store.StoredLicense): UserLicenseInfoResponse {
  const type = findLicenseType(licenseTypeId);
  if (!type) throw new Error(`License type ${licenseTypeId} is stored but not known`);
  return { userId, ...type };
}

type Operations =
  | 'getUserLicense'
  | 'updateUserLicense'
  | 'searchUserLicenses'
  | 'getUserLicenseHistory'
  | 'listLicenseSeats'
  | 'forecastLicenseSeats'
  | 'listSeatTotals'
  | 'listUnusedLicenses'
  | 'startLicenseChanges';

export const licenseHandlers: Handlers<Operations> = {
  startLicenseChanges: async (call) =>
    startJob(call, {
      kind: 'licenses.change',
      parameters: {},
      items: requireUniqueUsers('licenses', getListedItems(call.body, 'licenses')),
    }),

  async searchUserLicenses({ db, caller, query }) {
    const { isBillable } = query;
    const types = licenseTypes
      .filter((type) => isBillable === undefined || type.isBillable === isBillable)
      .map((type) => type.licenseTypeId);
    return ok((await store.listLicenses(db, caller.siteId, types, parsePage(query))).map(toLicenseInfo));
  },

  async listUnusedLicenses({ db, caller, query }) {
    const unused = await store.listUnusedLicenses(
      db,
      caller.siteId,
      query.days ?? DEFAULT_UNUSED_DAYS,
      parsePage(query),
    );
    return ok(
      unused.map((each) => ({ ...each, lastActivityDate: each.lastActivityDate?.toISOString() ?? null })),
    );
  },

  async listLicenseSeats({ db, caller, query }) {
    const days = parseDays(query, Date.now());
    const [first] = days;
    if (first === undefined) return ok([]);
    return ok(computeDailySeats(days, await store.readSeats(db, caller.siteId, new Date(first))));
  },

  async forecastLicenseSeats({ db, caller, query }) {
    const days = listNextDays(query.days ?? DEFAULT_FORECAST_DAYS, Date.now());
    return ok(forecastDailySeats(days, await store.readEndingSeats(db, caller.siteId, getEnd(days))));
  },

  async listSeatTotals({ db, caller }) {
    return ok(await store.listSeatTotals(db, caller.siteId));
  },

  async getUserLicenseHistory({ db, caller, params, query }) {
    if (!(await store.getLicense(db, caller.siteId, params.userId))) throw notFound(`User ${params.userId}`);
    const changes = await store.listChanges(db, caller.siteId, params.userId, parsePage(query));
    return ok(changes.map((each) => ({ ...each, date: each.date.toISOString() })));
  },

  async getUserLicense({ db, caller, params }) {
    const license = await store.getLicense(db, caller.siteId, params.userId);
    if (!license) throw notFound(`User ${params.userId}`);
    return ok(toLicenseInfo(license), { etag: formatEtag(license.version) });
  },

  async updateUserLicense(call) {
    const { caller, body } = call;
    await change(
      call.db,
      getActor(call),
      async (tx, record) => {
        const before = await lockUser(tx, caller.siteId, body.userId);
        if (!before) throw notFound(`User ${body.userId}`);
        requireVersion(call.ifMatch, before.version, `user ${body.userId}`);
        if (before.licenseTypeId === body.licenseTypeId) return;
        // A user without a license cannot act, so the caller must have authority over the user.
        if (body.licenseTypeId === NO_LICENSE)
          await requireAuthorityOver(tx, caller, body.userId, 'Revoking the license of this user');
        await setLicenses(tx, caller, [{ user: before, licenseTypeId: body.licenseTypeId }], record);
      },
      { lockSite: body.licenseTypeId === NO_LICENSE },
    );
    return ok(undefined);
  },
};
