import { createSite, getSite, listSiteIds, lockFirstStart } from './areas/sites/index.ts';
import { addAdministrator } from './areas/users/index.ts';
import { change, createHostActor, type Recorder } from './kernel/audit/change.ts';
import { hasAdministrator } from './kernel/auth/callers.store.ts';
import { createLink } from './kernel/auth/one-time-links.store.ts';
import { hashPassword, validateNewPassword } from './kernel/auth/passwords.ts';
import { type Config, ConfigError } from './kernel/config.ts';
import { type Db, type Tx, withTransaction } from './kernel/db/database.ts';
import { isEmailAddress } from './kernel/email.ts';

const SAMPLE_OPTIONS = { users: 500, seed: 1 };
const SAMPLE_SITE = { slug: 'northlight', name: 'Northlight Capital', dedicatedDomain: 'northlight.example' };
const EMPTY_SITE = { slug: 'main', name: 'Main site', dedicatedDomain: null };

/** Result of the first start. */
export interface FirstStartResult {
  /** Slug of the first site if it has no administrator. */
  site: string | undefined;
  /** One-time link for its first administrator, if it was created. */
  link: string | undefined;
}

/**
 * Creates the first site at the very first start, with sample data or empty. As long as the site has no administrator, creates one
 * from the settings, or with `createsLink` a one-time link for one; there is one valid link, the last. Processes that start at the same
 * time are serialized, so each finds the site that the first created.
 */
export async function runFirstStart(db: Db, config: Config, createsLink: boolean): Promise<FirstStartResult> {
  const siteId = await withTransaction(db, {}, (tx) => findOrCreateSite(tx, config.createsSample));
  const passwordHash =
    config.firstAdministrator && (await hashPassword(config.firstAdministrator.password.reveal()));
  return change(db, createHostActor(siteId), async (tx, record) => {
    await lockFirstStart(tx);
    const administered = { site: undefined, link: undefined };
    if (await hasAdministrator(tx, siteId)) return administered;
    if (config.firstAdministrator && passwordHash) {
      const issues = listIssues(config.firstAdministrator);
      if (issues.length > 0) throw new ConfigError(issues);
      await addAdministratorFromSettings(
        tx,
        siteId,
        { email: config.firstAdministrator.email, passwordHash },
        record,
      );
      return administered;
    }
    const { slug: site } = await getSite(tx, siteId);
    if (!createsLink) return { site, link: undefined };
    record({ action: 'site.administrator-link', subject: ['site', siteId], changes: {} });
    const token = await createLink(tx, { purpose: 'first-administrator', siteId, userId: null });
    return { site, link: `${config.publicUrl}/link#${token}` };
  });
}

async function findOrCreateSite(tx: Tx, sample: boolean): Promise<number> {
  await lockFirstStart(tx);
  const [first] = await listSiteIds(tx);
  if (first !== undefined) return first;
  const siteId = await createSite(tx, sample ? SAMPLE_SITE : EMPTY_SITE);
  if (sample) {
    // Reading the sample data takes 30 ms, which only the first start needs.
    const { writeSample } = await import('./cli/sample/fill.ts');
    await writeSample(tx, { ...SAMPLE_OPTIONS, asOf: new Date(), siteId });
  }
  return siteId;
}

/** The longest password that a sign-in accepts (SignInRequest.password). */
const MAX_PASSWORD_LENGTH = 128;

/** Why the settings describe no account that could be created in the console. Later starts do not need them. */
function listIssues({ email, password: secret }: NonNullable<Config['firstAdministrator']>): string[] {
  const password = secret.reveal();
  const issue =
    password.length > MAX_PASSWORD_LENGTH
      ? `at most ${MAX_PASSWORD_LENGTH} characters`
      : validateNewPassword(password, email);
  return [
    ...(isEmailAddress(email) ? [] : ['STEWARD_ADMIN_EMAIL: an address such as ada@steward.example']),
    ...(issue === undefined ? [] : [`STEWARD_ADMIN_PASSWORD: ${issue}`]),
  ];
}

async function addAdministratorFromSettings(
  tx: Tx,
  siteId: number,
  account: { email: string; passwordHash: string },
  record: Recorder,
): Promise<void> {
  const administrator = { ...account, firstName: 'First', lastName: 'Administrator' };
  const userId = await addAdministrator(tx, siteId, administrator, record);
  if (userId === undefined)
    throw new Error(
      `STEWARD_ADMIN_EMAIL: an account with ${account.email} already exists. Choose another address, or run steward user make-admin`,
    );
}

/**
 * What a person has to do after the first start. A link is shown on a terminal only: a log is read by many and kept for long.
 * `isNpmScript`: whether `npm start` runs the service; a release has no npm.
 */
export function describeFirstStart({ site, link }: FirstStartResult, isNpmScript: boolean): string {
  if (site === undefined) return '';
  const steward = isNpmScript ? 'npm run steward --' : 'steward';
  if (link === undefined)
    return `Nobody administers the site ${site} yet. To print a link for its first administrator:\n  ${steward} site administrator-link ${site}\n`;
  return `Create the first administrator here (once, within 24 hours):\n  ${link}\n`;
}
