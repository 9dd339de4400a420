import type { NewPlatformSite } from '../../../contract/generated/types.gen.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import { countOrRefuse } from '../../kernel/auth/throttle.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { conflict, invalid, type FieldError } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { addedMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { ensureAdministrators, memberAdded } from '../members/index.ts';
import { zoneCalled } from '../sites/index.ts';
import { checkPerson, insertAccount, insertMembership, mailPasswordLink } from '../users/index.ts';
import * as store from './store.ts';

/** A mail that says where somebody may sign in now is worth its way for a week. */
const MAIL_HOURS = 168;
/** Each mails somebody whom the caller names. */
const SITES_OF_ONE = { limit: 20, seconds: 3600 };

/**
 * Makes a site with its first administrator: somebody the platform knows, or a new person who is mailed a link to set a
 * password. Answers its id. @throws ApiError 400, 409
 */
export async function createSite(call: Call<'createPlatformSite'>): Promise<number> {
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
