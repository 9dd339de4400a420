import type { SiteSettings } from '../../../contract/generated/types.gen.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { invalid } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { zoneCalled } from './zone.ts';
import { getSite, settingsVersion, updateSite, type Site } from './store.ts';

type Operations = 'getSiteSettings' | 'updateSiteSettings';

export const siteHandlers: Handlers<Operations> = {
  getSiteSettings: ({ db, caller }) => shown(db, caller.siteId),

  async updateSiteSettings(call) {
    await change(call.db, actorOf(call), (tx, record) => update(tx, call, record));
    return shown(call.db, call.caller.siteId);
  },
};

const settingsOf = ({ siteId: _id, ...site }: Site): SiteSettings => site;

async function shown(db: Db, siteId: number) {
  const site = await getSite(db, siteId);
  return ok(settingsOf(site), { etag: etagOf(await settingsVersion(db, siteId)) });
}

async function update(tx: Tx, call: Call<'updateSiteSettings'>, record: Recorder): Promise<void> {
  const { body, caller } = call;
  const version = await settingsVersion(tx, caller.siteId, { lock: true });
  requireVersion(call.ifMatch, version, 'The settings of the site');
  const { name, timeZone } = await getSite(tx, caller.siteId);
  const after = { name: body.name?.trim() ?? name, timeZone: zoneCalled(body.timeZone ?? timeZone) };
  if (after.name === '') throw invalid([{ path: 'name', message: 'must not be empty' }]);
  const changes = differences({ name, timeZone }, after);
  if (Object.keys(changes).length === 0) return;
  await updateSite(tx, caller.siteId, after);
  record({ action: 'site.update', subject: ['site', caller.siteId], changes });
}
