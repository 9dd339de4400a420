import type { PlatformSite as ShownSite, NewPlatformSite } from '../../../contract/generated/types.gen.ts';
import { forbidden, badRequest, notFound, type FieldError, conflict } from '../../kernel/api-error.ts';
import { diffProperties, getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import { rejectFederatedSession } from '../../kernel/auth/authorize.ts';
import { consumeRateLimit } from '../../kernel/auth/throttle.store.ts';
import { type Db, type Tx, withAbortSignal } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { ok, type Call, type Handlers, type Services } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeMemberAddedMail } from '../../kernel/mail/messages.ts';
import { readIdentity, updateIdentity } from '../identity/index.ts';
import { normalizeDomain } from '../invitations/index.ts';
import { ensureAdministratorsGroup, recordNewMember } from '../members/index.ts';
import { isPlatformAdministrator, parseTimeZone } from '../sites/index.ts';
import { checkPerson, insertAccount, insertMembership, mailPasswordLink } from '../users/index.ts';
import { readInstallation } from './installation.ts';
import * as store from './platform.store.ts';

type Operations =
  | 'getInstallation'
  | 'listPlatformSites'
  | 'createPlatformSite'
  | 'getPlatformSite'
  | 'updatePlatformSite'
  | 'getSiteIdentity'
  | 'updateSiteIdentity';

/**
 * @throws ApiError 403 unless the caller is a platform administrator whose session was not opened by an identity
 * manager
 */
async function requirePlatformAdministrator({ db, caller }: Pick<Call, 'db' | 'caller'>): Promise<void> {
  rejectFederatedSession(caller, 'The administration of the platform');
  if (!(await isPlatformAdministrator(db, caller.userId)))
    throw forbidden('Only platform administrators may do this, not administrators of a site');
}

export const platformHandlers: Handlers<Operations> = {
  async getInstallation(call) {
    await requirePlatformAdministrator(call);
    return ok(await readInstallation(withAbortSignal(call.db, call.signal), call.services));
  },

  async listPlatformSites(call) {
    await requirePlatformAdministrator(call);
    const sites = await store.listSites(call.db);
    return ok(sites.map((site) => toPlatformSite(site, call.services)));
  },

  async createPlatformSite(call) {
    await requirePlatformAdministrator(call);
    const siteId = await createSite(call);
    return ok(toPlatformSite(await requireSite(call.db, siteId), call.services));
  },

  async getPlatformSite(call) {
    await requirePlatformAdministrator(call);
    return respondWithSite(call);
  },

  async updatePlatformSite(call) {
    await requirePlatformAdministrator(call);
    await updateSite(call);
    return respondWithSite(call);
  },

  async getSiteIdentity(call) {
    await requirePlatformAdministrator(call);
    return readIdentity(call);
  },

  async updateSiteIdentity(call) {
    await requirePlatformAdministrator(call);
    await updateIdentity(call);
    return readIdentity(call);
  },
};

const toPlatformSite = (
  { createdAt, ...site }: store.PlatformSite,
  { storageQuota }: Pick<Services, 'storageQuota'>,
): ShownSite => ({
  ...site,
  storageLimitBytes: site.storageQuotaBytes ?? storageQuota,
  createdDate: createdAt.toISOString(),
});

async function requireSite(db: Db, siteId: number): Promise<store.PlatformSite> {
  const site = await store.findSite(db, siteId);
  if (!site) throw notFound(`Site ${siteId}`);
  return site;
}

async function respondWithSite({
  db,
  params: { siteId },
  services,
}: Pick<Call<'getPlatformSite'>, 'db' | 'params' | 'services'>) {
  // Before the site: a tag of a later state would let the next write overwrite what nobody has seen.
  const version = await store.siteVersion(db, siteId);
  const site = await requireSite(db, siteId);
  return ok(toPlatformSite(site, services), { etag: formatEtag(version) });
}

const toSiteFields = ({
  name,
  dedicatedDomain,
  mayManageExistingUsers,
  hasAgentServer,
  storageQuotaBytes,
}: store.SiteFields) => ({
  name,
  dedicatedDomain,
  mayManageExistingUsers,
  hasAgentServer,
  storageQuotaBytes,
});

async function updateSite(call: Call<'updatePlatformSite'>): Promise<void> {
  const { params, body, db } = call;
  const { siteId } = params;
  await requireSite(db, siteId);
  await change(db, { ...getActor(call), siteId }, async (tx, record) => {
    const version = await store.siteVersion(tx, siteId, { lock: true });
    requireVersion(call.ifMatch, version, `site ${siteId}`);
    const before = toSiteFields(await requireSite(tx, siteId));
    const after = toSiteFields({ ...before, ...body, ...parseNames(body) });
    const changes = diffProperties(before, after);
    if (Object.keys(changes).length === 0) return;
    await store.writeSite(tx, siteId, after);
    record({ action: 'site.update', subject: ['site', siteId], changes });
  });
}

/** Name and domain in their stored form. @throws ApiError 400 */
function parseNames({ name, dedicatedDomain }: { name?: string; dedicatedDomain?: string | null }) {
  const errors: FieldError[] = [];
  const domain = dedicatedDomain?.trim() ? normalizeDomain(dedicatedDomain) : null;
  if (name?.trim() === '') errors.push({ path: 'name', message: 'must not be empty' });
  if (domain === undefined)
    errors.push({
      path: 'dedicatedDomain',
      message: 'must be a mail domain such as northwind.example, without @ and without *',
    });
  if (errors.length > 0) throw badRequest(errors);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(dedicatedDomain !== undefined && { dedicatedDomain: domain ?? null }),
  };
}

const MAIL_TTL_HOURS = 168;
/** Each new site sends an e-mail to a person chosen by the caller. */
const NEW_SITE_LIMIT = { maxCount: 20, windowSeconds: 3600 };

/**
 * Creates a site with its first administrator: an existing account, or a new one that is mailed a link to set a
 * password. Returns the site id.
 * @throws ApiError 400, 409, 429
 */
async function createSite(call: Call<'createPlatformSite'>): Promise<number> {
  const { body, db } = call;
  const name = body.name.trim();
  const timeZone = parseTimeZone(body.timeZone ?? 'UTC');
  if (name === '') throw badRequest([{ path: 'name', message: 'must not be empty' }]);
  await consumeRateLimit(
    db,
    `new-site:${call.caller.userId}`,
    NEW_SITE_LIMIT,
    'Too many new sites in one hour',
  );
  return change(db, getActor(call), async (tx, record) => {
    const siteId = await store.insertSite(tx, { slug: body.slug, name, timeZone });
    if (siteId === undefined)
      throw conflict(`A site with the short name ${body.slug} already exists`, [
        { path: 'slug', message: 'is the short name of another site' },
      ]);
    const recordOnSite: Recorder = (entry) => record({ siteId, ...entry });
    recordOnSite({
      action: 'site.create',
      subject: ['site', siteId],
      changes: { slug: [null, body.slug], name: [null, name], timeZone: [null, timeZone] },
    });
    await addFirstAdministrator(tx, call, { siteId, name }, recordOnSite);
    return siteId;
  });
}

async function addFirstAdministrator(
  tx: Tx,
  { body, caller, services }: Pick<Call<'createPlatformSite'>, 'body' | 'caller' | 'services'>,
  site: { siteId: number; name: string },
  record: Recorder,
): Promise<void> {
  const { siteId, name: siteName } = site;
  const existing = await store.findAccountByEmail(tx, normalizeEmail(body.administrator.email).key);
  const account = existing ?? (await createAccount(tx, siteId, body.administrator));
  await insertMembership(tx, siteId, account.userId, caller.userId, {});
  const groupIds = [await ensureAdministratorsGroup(tx, siteId, record)];
  await recordNewMember(tx, siteId, { userId: account.userId, groupIds }, 'site.first-administrator', record);
  if (!existing) {
    await mailPasswordLink(tx, services.publicUrl, { ...account, site });
    return;
  }
  const link = `${services.publicUrl}/sign-in?site=${siteId}`;
  const mail = composeMemberAddedMail({
    firstName: account.firstName,
    siteName,
    addedBy: caller.email,
    link,
  });
  await queueMail(tx, { siteId, to: account.email, ttlHours: MAIL_TTL_HOURS, ...mail });
}

/** @throws ApiError 400 if names or address are missing or invalid, 409 if the address was registered concurrently */
async function createAccount(
  tx: Tx,
  siteId: number,
  person: NewPlatformSite['administrator'],
): Promise<store.KnownAccount> {
  const { email, key } = normalizeEmail(person.email);
  const fields = {
    email,
    firstName: person.firstName?.trim() ?? '',
    lastName: person.lastName?.trim() ?? '',
  };
  const errors = checkPerson(fields).map(({ path, message }): FieldError => ({
    path: `administrator.${path}`,
    message,
  }));
  if (errors.length > 0) throw badRequest(errors);
  const account = { ...fields, emailKey: key, passwordHash: null, federationId: null };
  const userId = await insertAccount(tx, siteId, account);
  if (userId === undefined)
    throw conflict('An account with this address was created a moment ago. Try again.', [
      { path: 'administrator.email', message: 'is registered already' },
    ]);
  return { userId, email, firstName: fields.firstName };
}
