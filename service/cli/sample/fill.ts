import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../../kernel/db/tables.ts';
import { drawActivity, type SampleActivity } from './activity.ts';
import { ACTIVITY_KEPT_DAYS } from '../../areas/activity/index.ts';
import { ADMINISTRATORS } from '../../areas/members/index.ts';
import { PARTNERS, SAMPLE_GROUPS } from './groups.ts';
import { writeData } from './data.ts';
import { writeInvitations } from './invitations.ts';
import { drawLicenseChanges } from './licenses.ts';
import { drawPeople, type Person } from './people.ts';
import { insertProxies, insertReports } from './proxies.store.ts';
import { drawProxies, drawReports } from './proxies.ts';
import { createRandom, type Random } from './random.ts';
import {
  createSite,
  insertAccounts,
  insertActivity,
  insertGroupMembers,
  insertGroups,
  insertLicenseChanges,
  insertMembers,
  readSite,
  readTakenEmails,
  type SampleMember,
  type Site,
} from './store.ts';

type Tx = Transaction<Tables>;

export interface SampleOptions {
  users: number;
  /** The day on which the sample's year ends; nothing in it depends on the clock. */
  asOf: Date;
  seed: number;
  /** False: people alone, without companies, contacts and deals. */
  entries?: boolean;
  /** The site to fill; without it a new one is made. */
  siteId?: number;
}

export interface SampleSummary {
  siteId: number;
  slug: string;
  users: number;
  activities: number;
}

const NEIGHBOUR = { slug: 'harbor', name: 'Harbor Partners', dedicatedDomain: 'harbor.example' };
const PARTNER_DOMAIN = 'partner.example';
const SHARED_PEOPLE = 15;

/**
 * Writes the sample: the site Northlight Capital with people, groups, licenses, a year of activity, and
 * companies, contacts and deals, and once, beside it, the small site Harbor Partners that shares some of its people. All of it or nothing. Nobody in it has
 * a password.
 */
export async function fillSample(db: Kysely<Tables>, options: SampleOptions): Promise<SampleSummary> {
  return db.transaction().execute((tx) => writeSample(tx, options));
}

/** The same within a transaction that goes on. */
export async function writeSample(tx: Tx, options: SampleOptions): Promise<SampleSummary> {
  const random = createRandom(options.seed);
  // A million people are drawn within the transaction, for longer than anybody else may idle in one.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const site = options.siteId === undefined ? await createNorthlight(tx) : await readSite(tx, options.siteId);
  const filled = await fillSite(tx, random, site, options);
  const neighbour = await createSite(tx, NEIGHBOUR);
  if (neighbour) {
    const users = Math.max(3, Math.min(40, Math.round(options.users / 8)));
    await fillSite(tx, random, neighbour, { ...options, users }, pickShared(filled.members));
    await writeInvitations(tx, { site, neighbour, asOf: options.asOf });
  }
  // Without fresh statistics the first lists would be planned as if the tables were empty.
  await sql`analyze account, membership, user_group, group_member, list_block, activity, activity_hour, activity_person,
    activity_from, activity_network, audit_log, entry, entry_change, entry_multi, entry_text, cell_log`.execute(
    tx,
  );
  return { ...site, users: options.users, activities: filled.activities };
}

async function createNorthlight(tx: Tx): Promise<Site> {
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? 'northlight' : `northlight-${number}`;
    const name = number === 1 ? 'Northlight Capital' : `Northlight Capital ${number}`;
    // oxlint-disable-next-line no-await-in-loop -- until a slug is free
    const site = await createSite(tx, { slug, name, dedicatedDomain: `${slug}.example` });
    if (site) return site;
  }
}

async function fillSite(
  tx: Tx,
  random: Random,
  site: Site,
  options: SampleOptions,
  guests: readonly SampleMember[] = [],
): Promise<{ members: SampleMember[]; activities: number }> {
  const domain = `${site.slug}.example`;
  const taken = await readTakenEmails(tx, [domain, PARTNER_DOMAIN]);
  const people = drawPeople(random, {
    count: options.users,
    asOf: options.asOf,
    domain,
    partnerDomain: PARTNER_DOMAIN,
    taken,
  });
  const activity = drawActivity(random, people, { asOf: options.asOf, rows: activityRows(options.users) });
  const ids = await insertAccounts(tx, site.siteId, people);
  const members = [...membersOf(people, ids, activity), ...guests];
  await insertMembers(tx, site.siteId, members);
  const founded = new Date(options.asOf.getTime() - 6 * 365 * 24 * 3600_000);
  const groupIds = await insertGroups(tx, site.siteId, SAMPLE_GROUPS, founded);
  await insertGroupMembers(tx, site.siteId, pairs(members, groupIds));
  // Older ones would be forgotten within the hour; that they were is told by when people were last seen.
  const since = options.asOf.getTime() - ACTIVITY_KEPT_DAYS * 24 * 3600_000;
  const kept = activity.filter(({ at }) => at >= since);
  await insertActivity(tx, site.siteId, kept, ids);
  // Drawn from a source of its own: the people of a seed stay who they are.
  const changes = drawLicenseChanges(createRandom(options.seed + 1), people, options.asOf);
  await insertLicenseChanges(tx, site.siteId, changes, { people, ids });
  const delegation = createRandom(options.seed + 2);
  await insertProxies(tx, site.siteId, drawProxies(delegation, people, activity), ids);
  await insertReports(tx, site.siteId, drawReports(delegation, activity), ids);
  if (options.entries !== false)
    await writeData(tx, site, members, { seed: options.seed + 3, asOf: options.asOf });
  return { members, activities: kept.length };
}

/** A year of sign-ins for a firm of ordinary size; beyond, a thinner one, so that a large sample stays quick. */
function activityRows(users: number): number {
  return Math.min(users * 120, 400_000);
}

function membersOf(people: readonly Person[], ids: readonly number[], activity: readonly SampleActivity[]) {
  const last = new Map(
    activity.filter((record) => record.sessionId).map((record) => [record.person, record.at]),
  );
  return people.flatMap((person, index): SampleMember[] => {
    const userId = ids[index];
    const at = last.get(index);
    return userId === undefined
      ? []
      : [{ userId, person, lastActiveAt: at === undefined ? null : new Date(at) }];
  });
}

/** People of the first site who work on the second too, as advisers there. */
function pickShared(members: readonly SampleMember[]): SampleMember[] {
  const able = members.filter(({ person }) => person.isActive && !person.isProgram);
  const step = Math.max(1, Math.floor(able.length / SHARED_PEOPLE));
  return able
    .filter((_, index) => index % step === 0)
    .slice(0, SHARED_PEOPLE)
    .map((member, index) => ({
      ...member,
      lastActiveAt: null,
      person: { ...member.person, licenseTypeId: 2, groups: [index === 0 ? ADMINISTRATORS : PARTNERS] },
    }));
}

function pairs(members: readonly SampleMember[], groupIds: ReadonlyMap<string, number>) {
  return members.flatMap(({ userId, person }) =>
    person.groups.flatMap((name) => {
      const groupId = groupIds.get(name.toLowerCase());
      return groupId === undefined ? [] : [{ groupId, userId }];
    }),
  );
}
