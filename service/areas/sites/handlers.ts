import type { SiteSettings } from '../../../contract/generated/types.gen.ts';
import { formatTimeZoneError, resolveTimeZone } from '../../../contract/rules/dates/time-zones.ts';
import { badRequest } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { readStorageUse } from '../../kernel/files/storage-quota.store.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { getSite, settingsVersion, updateSite } from './sites.store.ts';

type Operations = 'getSiteSettings' | 'updateSiteSettings';

export const siteHandlers: Handlers<Operations> = {
  getSiteSettings: respondWithSettings,

  async updateSiteSettings(call) {
    await change(call.db, getActor(call), (tx, record) => updateSettings(tx, call, record));
    return respondWithSettings(call);
  },
};

async function respondWithSettings({ db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>) {
  // Before the settings: a tag of later ones would let the next write overwrite what nobody has seen.
  const version = await settingsVersion(db, caller.siteId);
  const { siteId, ...site } = await getSite(db, caller.siteId);
  const { usedBytes, quotaBytes } = await readStorageUse(db, siteId);
  const settings: SiteSettings = {
    ...site,
    storageUsedBytes: usedBytes,
    storageLimitBytes: quotaBytes ?? services.storageQuota,
  };
  return ok(settings, { etag: formatEtag(version) });
}

async function updateSettings(tx: Tx, call: Call<'updateSiteSettings'>, record: Recorder): Promise<void> {
  const { body, caller } = call;
  const version = await settingsVersion(tx, caller.siteId, { lock: true });
  requireVersion(call.ifMatch, version, 'the settings of the site');
  const { name, timeZone, requiresActingReason } = await getSite(tx, caller.siteId);
  const after = {
    name: body.name?.trim() ?? name,
    timeZone: parseTimeZone(body.timeZone ?? timeZone),
    requiresActingReason: body.requiresActingReason ?? requiresActingReason,
  };
  if (after.name === '') throw badRequest([{ path: 'name', message: 'must not be empty' }]);
  const changes = diffProperties({ name, timeZone, requiresActingReason }, after);
  if (Object.keys(changes).length === 0) return;
  await updateSite(tx, caller.siteId, after);
  record({ action: 'site.update', subject: ['site', caller.siteId], changes });
}

/** The name of the time zone as IANA spells it; undefined for an unknown name. */
export const normalizeTimeZone = (name: string): string | undefined =>
  // Temporal keeps a renamed zone as it was written; Intl would answer Europe/Kyiv as Europe/Kiev.
  resolveTimeZone(name) && Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;

/** The name of the time zone as IANA spells it. @throws ApiError 400 for an unknown name */
export function parseTimeZone(name: string): string {
  const timeZone = normalizeTimeZone(name);
  if (timeZone === undefined) throw badRequest([{ path: 'timeZone', message: formatTimeZoneError(name) }]);
  return timeZone;
}
