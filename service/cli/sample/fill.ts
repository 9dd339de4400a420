/** Fills a site with sample data: people, groups, licenses, activity, proxies, entries and invitations. */
import type { Kysely, Transaction } from 'kysely';
import { ACTIVITY_LOG_RETENTION_DAYS } from '../../areas/activity/index.ts';
import { ADMINISTRATORS_GROUP } from '../../areas/members/index.ts';
import { withTransaction } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import { createRandom, type Random } from '../load/random.ts';
import { drawActivity, drawProxies, drawReports, type SampleActivity } from './activity.ts';
import { INVITATIONS_DATA, PARTNERS_GROUP, SAMPLE_GROUPS, SITES_DATA } from './data.ts';
import { writeEntries } from './entries.ts';
import { drawLicenseChanges, drawPeople, type Person } from './people.ts';
import {
  allowExistingUsers,
  allowIdleTransaction,
  analyzeTables,
  findInvitableUsers,
  findTemporaryMember,
  insertAccounts,
  insertActivity,
  insertFigures,
  insertGroupMembers,
  insertGroups,
  insertInvitation,
  insertLicenseChanges,
  insertMembers,
  insertProxies,
  insertReports,
  insertSecondedPeople,
  insertSite,
  readSite,
  readTakenEmails,
  type SampleMember,
  setMembershipExpiry,
  type Site,
} from './sample.store.ts';

type Tx = Transaction<Tables>;

export interface SampleOptions {
  users: number;
  /** End of the sample's history; no date depends on the clock. */
  asOf: Date;
  seed: number;
  /** false: without companies, contacts and deals. */
  entries?: boolean;
  /** The site to fill; without it a new site is created. */
  siteId?: number;
}

export interface SampleSummary {
  siteId: number;
  slug: string;
  users: number;
  activities: number;
}

const DAY_MS = 24 * 3600_000;
/** Days before that of `asOf` with figures: with it, those that the console shows. */
const FIGURE_DAYS = 29;
const MAX_SHARED_PEOPLE = 15;
const MAX_ACTIVITY_ROWS = 400_000;

/**
 * Writes the sample in one transaction: the main site with all its data, and once, as its neighbor, a small site that shares some
 * of the users. No user has a password.
 */
export async function fillSample(db: Kysely<Tables>, options: SampleOptions): Promise<SampleSummary> {
  return withTransaction(db, {}, (tx) => writeSample(tx, options));
}

/** Writes the sample within an open transaction. */
export async function writeSample(tx: Tx, options: SampleOptions): Promise<SampleSummary> {
  const random = createRandom(options.seed);
  await allowIdleTransaction(tx);
  const site = options.siteId === undefined ? await createMainSite(tx) : await readSite(tx, options.siteId);
  const { members, activities } = await fillSite(tx, random, site, options);
  const { slug, name } = SITES_DATA.neighbor;
  const neighbor = await insertSite(tx, { slug, name, dedicatedDomain: `${slug}.example` });
  if (neighbor) {
    const users = Math.max(3, Math.min(40, Math.round(options.users / 8)));
    await fillSite(tx, random, neighbor, { ...options, users }, pickSharedMembers(members));
    await writeInvitations(tx, site, neighbor, options.asOf);
  }
  await analyzeTables(tx);
  return { ...site, users: options.users, activities };
}

/** Appends a number to slug and name if the slug is in use. */
async function createMainSite(tx: Tx): Promise<Site> {
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? SITES_DATA.main.slug : `${SITES_DATA.main.slug}-${number}`;
    const name = number === 1 ? SITES_DATA.main.name : `${SITES_DATA.main.name} ${number}`;
    // Until a slug is free.
    const site = await insertSite(tx, { slug, name, dedicatedDomain: `${slug}.example` });
    if (site) return site;
  }
}

/** Each kind of data has its own random source, so that adding draws to one leaves the others as they are. */
async function fillSite(
  tx: Tx,
  random: Random,
  site: Site,
  options: SampleOptions,
  sharedMembers: readonly SampleMember[] = [],
): Promise<{ members: SampleMember[]; activities: number }> {
  const { siteId } = site;
  const { asOf, seed, users } = options;
  const domain = `${site.slug}.example`;
  const { partnerDomain } = SITES_DATA;
  const takenEmails = await readTakenEmails(tx, [domain, partnerDomain]);
  const people = drawPeople(random, { count: users, asOf, domain, partnerDomain, takenEmails });
  const activity = drawActivity(random, people, { asOf, rows: Math.min(users * 120, MAX_ACTIVITY_ROWS) });

  const ids = await insertAccounts(tx, siteId, people);
  const members = [...createMembers(people, ids, activity), ...sharedMembers];
  await insertMembers(tx, siteId, members);
  const foundedAt = new Date(asOf.getTime() - 6 * 365 * DAY_MS);
  const groupIds = await insertGroups(tx, siteId, SAMPLE_GROUPS, foundedAt);
  await insertGroupMembers(tx, siteId, createGroupMembers(members, groupIds));

  // The service would delete older records within the hour; last activity dates already include them.
  const retainedSince = asOf.getTime() - ACTIVITY_LOG_RETENTION_DAYS * DAY_MS;
  const retained = activity.filter(({ at }) => at >= retainedSince);
  await insertActivity(tx, siteId, retained, ids);
  const licenseChanges = drawLicenseChanges(createRandom(seed + 1), people, asOf);
  await insertLicenseChanges(tx, siteId, licenseChanges, { people, ids });
  const proxyRandom = createRandom(seed + 2);
  await insertProxies(tx, siteId, drawProxies(proxyRandom, people, activity), ids);
  await insertReports(tx, siteId, drawReports(proxyRandom, activity), ids);
  if (options.entries !== false) {
    const authorIds = members.filter(isWorking).map(({ userId }) => userId);
    await writeEntries(tx, site, authorIds, { userCount: members.length, seed: seed + 3, asOf });
    await insertFigures(tx, siteId, asOf, FIGURE_DAYS);
  }
  return { members, activities: retained.length };
}

const isWorking = ({ person }: SampleMember): boolean => person.isActive && !person.isProgram;

function createMembers(
  people: readonly Person[],
  ids: readonly number[],
  activity: readonly SampleActivity[],
): SampleMember[] {
  const lastActivity = new Map(
    activity.filter(({ sessionId }) => sessionId !== null).map(({ person, at }) => [person, at]),
  );
  return people.flatMap((person, index): SampleMember[] => {
    const userId = ids[index];
    const at = lastActivity.get(index);
    if (userId === undefined) return [];
    return [{ userId, person, lastActiveAt: at === undefined ? null : new Date(at) }];
  });
}

/** Members of the main site who become partners of the neighbor, the first one an administrator of it. */
function pickSharedMembers(members: readonly SampleMember[]): SampleMember[] {
  const candidates = members.filter(isWorking);
  const step = Math.max(1, Math.floor(candidates.length / MAX_SHARED_PEOPLE));
  return candidates
    .filter((_, index) => index % step === 0)
    .slice(0, MAX_SHARED_PEOPLE)
    .map((member, index) => ({
      ...member,
      lastActiveAt: null,
      person: {
        ...member.person,
        licenseTypeId: 2,
        groups: [index === 0 ? ADMINISTRATORS_GROUP : PARTNERS_GROUP],
      },
    }));
}

function createGroupMembers(members: readonly SampleMember[], groupIds: ReadonlyMap<string, number>) {
  return members.flatMap(({ userId, person }) =>
    person.groups.flatMap((name) => {
      const groupId = groupIds.get(name.toLowerCase());
      return groupId === undefined ? [] : [{ groupId, userId }];
    }),
  );
}

/**
 * The main site invites users of the neighbor: two invitations are pending, one expired, one was revoked, and one was accepted for
 * a temporary membership. Users of its own e-mail domain can be added without an invitation.
 */
async function writeInvitations(tx: Tx, site: Site, neighbor: Site, asOf: Date): Promise<void> {
  const { secondedPeople, invitations, temporaryMembership } = INVITATIONS_DATA;
  await allowExistingUsers(tx, site.siteId);
  const createdAt = new Date(asOf.getTime() - 200 * DAY_MS);
  const placement = { site, homeSite: neighbor, groupName: PARTNERS_GROUP };
  await insertSecondedPeople(tx, placement, secondedPeople, createdAt);
  const users = await findInvitableUsers(tx, site, neighbor, invitations.length);
  for (const [index, user] of users.entries()) {
    const invitation = invitations[index];
    // Four rows, in order.
    if (invitation) await insertInvitation(tx, site.siteId, user, invitation, asOf);
  }
  const user = await findTemporaryMember(tx, site, neighbor, SITES_DATA.partnerDomain);
  if (!user) return;
  const invitationId = await insertInvitation(tx, site.siteId, user, temporaryMembership, asOf);
  const { acceptedDaysAgo, durationDays } = temporaryMembership;
  const expiresAt = new Date(asOf.getTime() + (durationDays - acceptedDaysAgo) * DAY_MS);
  await setMembershipExpiry(tx, site.siteId, user.userId, { invitationId, expiresAt });
}
