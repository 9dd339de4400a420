import type { PlatformSite as ShownSite, NewPlatformSite } from '../../../contract/generated/types.gen.ts';
import { requireOwnSignIn } from '../../kernel/auth/authorize.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { forbidden, invalid, notFound, type FieldError, conflict } from '../../kernel/http/errors.ts';
import { etagOf, requireVersion } from '../../kernel/http/etag.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { readIdentity, updateIdentity } from '../identity/index.ts';
import { normaliseDomain } from '../invitations/index.ts';
import { runsPlatform, zoneCalled } from '../sites/index.ts';
import * as store from './store.ts';
import { countOrRefuse } from '../../kernel/auth/throttle.store.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { addedMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { ensureAdministrators, memberAdded } from '../members/index.ts';
import { checkPerson, insertAccount, insertMembership, mailPasswordLink } from '../users/index.ts';

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

/** A mail that says where somebody may sign in now is worth its way for a week. */
const MAIL_HOURS = 168;
/** Each mails somebody whom the caller names. */
const SITES_OF_ONE = { limit: 20, seconds: 3600 };

/**
 * Makes a site with its first administrator: somebody the platform knows, or a new person who is mailed a link to set a
 * password. Answers its id. @throws ApiError 400, 409
 */
async function createSite(call: Call<'createPlatformSite'>): Promise<number> {
  const { body, db } = call;
  const name = body.name.trim();
  const timeZone = zoneCalled(body.timeZone ?? 'UTC');
  if (name === '') throw invalid([{ path: 'name', message: 'must not be empty' }]);
  await countOrRefuse(db, `new-site:${call.caller.userId}`, SITES_OF_ONE, 'Too many new sites in one hour');
  return change(db, actorOf(call), async (tx, record) => {
    const siteId = await store.insertSite(tx, { slug: body.slug, name, timeZone });
    if (siteId === undefined)
      throw conflict(`A site with the short name ${body.slug} exists`, [
        { path: 'slug', message: 'is the short name of another site' },
      ]);
    const ofSite: Recorder = (entry) => record({ siteId, ...entry });
    ofSite({
      action: 'site.create',
      subject: ['site', siteId],
      changes: { slug: [null, body.slug], name: [null, name], timeZone: [null, timeZone] },
    });
    await addFirst(tx, call, { siteId, name }, ofSite);
    return siteId;
  });
}

async function addFirst(
  tx: Tx,
  { body, caller, services }: Pick<Call<'createPlatformSite'>, 'body' | 'caller' | 'services'>,
  site: { siteId: number; name: string },
  record: Recorder,
): Promise<void> {
  const { siteId, name: siteName } = site;
  const known = await store.findPerson(tx, normaliseEmail(body.administrator.email).key);
  const person = known ?? (await addPerson(tx, siteId, body.administrator));
  await insertMembership(tx, siteId, person.userId, caller.userId, {});
  const groupIds = [await ensureAdministrators(tx, siteId, record)];
  await memberAdded(tx, siteId, { userId: person.userId, groupIds }, 'site.first-administrator', record);
  if (!known) {
    await mailPasswordLink(tx, services.publicUrl, { ...person, site });
    return;
  }
  const link = `${services.publicUrl}/sign-in?site=${siteId}`;
  const mail = addedMail({ firstName: person.firstName, siteName, by: caller.email, link });
  await queueMail(tx, { siteId, to: person.email, hours: MAIL_HOURS, ...mail });
}

/** @throws ApiError 400 when names or the address are missing or none */
async function addPerson(
  tx: Tx,
  siteId: number,
  given: NewPlatformSite['administrator'],
): Promise<store.KnownPerson> {
  const { email, key } = normaliseEmail(given.email);
  const named = { email, firstName: given.firstName?.trim() ?? '', lastName: given.lastName?.trim() ?? '' };
  const faults = checkPerson(named).map(({ path, message }): FieldError => ({
    path: `administrator.${path}`,
    message,
  }));
  if (faults.length > 0) throw invalid(faults);
  const account = { ...named, emailKey: key, passwordHash: null, federationId: null };
  const userId = await insertAccount(tx, siteId, account);
  if (userId === undefined)
    throw conflict('Somebody with this address was made a moment ago: try again', [
      { path: 'administrator.email', message: 'is known by now' },
    ]);
  return { userId, email, firstName: named.firstName };
}
