import type { PlatformSite as ShownSite } from '../../../contract/generated/types.gen.ts';
import { requireOwnSignIn } from '../../kernel/auth/authorize.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { forbidden, invalid, notFound, type FieldError } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { readIdentity, updateIdentity } from '../identity/index.ts';
import { normaliseDomain } from '../invitations/index.ts';
import { runsPlatform } from '../sites/index.ts';
import { createSite } from './create.ts';
import * as store from './store.ts';

type Operations =
  | 'listPlatformSites'
  | 'createPlatformSite'
  | 'getPlatformSite'
  | 'updatePlatformSite'
  | 'getSiteIdentity'
  | 'updateSiteIdentity';

/** @throws ApiError 403 for everybody who does not run the platform, and where only an identity manager says they do */
async function requireRunner({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<void> {
  requireOwnSignIn(caller, 'The administration of the platform');
  if (!(await runsPlatform(db, caller.userId)))
    throw forbidden('Only people who run the whole platform may do this, not administrators of a site');
}

export const platformHandlers: Handlers<Operations> = {
  async listPlatformSites(call) {
    await requireRunner(call);
    return ok((await store.listSites(call.db)).map(shown));
  },

  async createPlatformSite(call) {
    await requireRunner(call);
    const siteId = await createSite(call);
    return ok(shown(await requireSite(call.db, siteId)));
  },

  async getPlatformSite(call) {
    await requireRunner(call);
    return tagged(call.db, call.params.siteId);
  },

  async updatePlatformSite(call) {
    await requireRunner(call);
    await update(call);
    return tagged(call.db, call.params.siteId);
  },

  async getSiteIdentity(call) {
    await requireRunner(call);
    return readIdentity(call);
  },

  async updateSiteIdentity(call) {
    await requireRunner(call);
    await updateIdentity(call);
    return readIdentity(call);
  },
};

const shown = ({ createdAt, ...site }: store.PlatformSite): ShownSite => ({
  ...site,
  createdDate: createdAt.toISOString(),
});

async function requireSite(db: Db, siteId: number): Promise<store.PlatformSite> {
  const site = await store.findSite(db, siteId);
  if (!site) throw notFound(`Site ${siteId}`);
  return site;
}

async function tagged(db: Db, siteId: number) {
  const site = await requireSite(db, siteId);
  return ok(shown(site), { etag: etagOf(await store.siteVersion(db, siteId)) });
}

const fieldsOf = ({ name, dedicatedDomain, mayManageExistingUsers, hasAgentServer }: store.SiteFields) => ({
  name,
  dedicatedDomain,
  mayManageExistingUsers,
  hasAgentServer,
});

async function update(call: Call<'updatePlatformSite'>): Promise<void> {
  const { params, body, db } = call;
  const { siteId } = params;
  await requireSite(db, siteId);
  await change(db, { ...actorOf(call), siteId }, async (tx, record) => {
    const version = await store.siteVersion(tx, siteId, { lock: true });
    requireVersion(call.ifMatch, version, `Site ${siteId}`);
    const before = fieldsOf(await requireSite(tx, siteId));
    const after = fieldsOf({ ...before, ...body, ...namesOf(body) });
    const changes = differences(before, after);
    if (Object.keys(changes).length === 0) return;
    await store.writeSite(tx, siteId, after);
    record({ action: 'site.update', subject: ['site', siteId], changes });
  });
}

/** Name and domain as they are stored. @throws ApiError 400 */
function namesOf({ name, dedicatedDomain }: { name?: string; dedicatedDomain?: string | null }) {
  const faults: FieldError[] = [];
  const domain = dedicatedDomain?.trim() ? normaliseDomain(dedicatedDomain) : null;
  if (name?.trim() === '') faults.push({ path: 'name', message: 'must not be empty' });
  if (domain === undefined)
    faults.push({
      path: 'dedicatedDomain',
      message: 'must be a mail domain such as northwind.example, without @ and without *',
    });
  if (faults.length > 0) throw invalid(faults);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(dedicatedDomain !== undefined && { dedicatedDomain: domain ?? null }),
  };
}
