/** Draws the activity of a year, and from it who acts as a proxy for whom. Persons are indexes into the list of people. */
import { ADMINISTRATORS_GROUP } from '../../areas/members/index.ts';
import type { Random } from '../load/random.ts';
import { ACTIVITY_DATA, BACKUP_OPERATORS_GROUP } from './data.ts';
import type { Person } from './people.ts';

export interface SampleActivity {
  person: number;
  /** Milliseconds since 1970. */
  at: number;
  type: number;
  source: number;
  ip: string;
  sessionId: string | null;
  /** For whom the person began to act; null for all other activity. */
  principal: number | null;
  exportDataType: number | null;
}

/** Activity types and the source types API and web (shapes 2: UserActivityQuery). */
const ACTIVITY = {
  login: 1,
  failedLogin: 2,
  logout: 3,
  expiry: 4,
  lockout: 5,
  verificationRequired: 6,
  addressForbidden: 7,
  export: 8,
  userSwitch: 9,
  backup: 10,
} as const;
const SOURCE_WEB = 1;
const SOURCE_API = 3;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ACTIVITY_DAYS = 365;
const ROWS_PER_SESSION = 2.2;
const BACKUP_GROUPS = [ADMINISTRATORS_GROUP, BACKUP_OPERATORS_GROUP];

/** Draws about `rows` records of the year before `asOf`, in order of time. */
export function drawActivity(
  random: Random,
  people: readonly Person[],
  options: { asOf: Date; rows: number },
): SampleActivity[] {
  const asOf = options.asOf.getTime();
  const start = asOf - ACTIVITY_DAYS * DAY_MS;
  const employments = people.map((person) => ({ person, ...getWorkingDays(person, start) }));
  // 0.68 is the average weight of a day.
  const totalWeight =
    employments.reduce((sum, { days, person }) => sum + days * person.activityWeight, 0) * 0.68;
  const sessionsPerWeight = options.rows / ROWS_PER_SESSION / Math.max(totalWeight, 1);
  const records: SampleActivity[] = [];
  for (const [index, { person, from, days }] of employments.entries()) {
    const habits = drawHabits(random, person, index, people.length);
    for (let day = 0; day < days; day += 1) {
      const midnight = from + day * DAY_MS;
      const dayWeight = person.isProgram ? 0.72 : getWeekdayWeight(midnight) * getSeasonWeight(midnight);
      // The most active people sign in more than once a day.
      for (
        let sessions = person.activityWeight * sessionsPerWeight * dayWeight;
        sessions > 0 && random.chance(sessions);
        sessions -= 1
      )
        records.push(...drawSession(random, person, habits, midnight));
    }
  }
  return records.filter(({ at }) => at <= asOf).toSorted((one, other) => one.at - other.at);
}

function getWorkingDays(person: Person, start: number): { from: number; days: number } {
  const from = Math.max(start, Math.ceil(person.createdAt.getTime() / DAY_MS) * DAY_MS);
  return { from, days: Math.max(0, Math.floor((person.activeUntil.getTime() - from) / DAY_MS) + 1) };
}

const getWeekdayWeight = (at: number): number => ACTIVITY_DATA.weekdayWeights[new Date(at).getUTCDay()] ?? 1;

/** August and the turn of the year are quiet. */
function getSeasonWeight(at: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  const month = date.getUTCMonth();
  if (month === 7) return 0.7;
  return (month === 11 && day > 22) || (month === 0 && day < 3) ? 0.2 : 1;
}

interface Habits {
  index: number;
  officeIp: string;
  homeIp: string;
  /** For whom this person may act; most people act for nobody. */
  principal: number | null;
  mistakeProbability: number;
}

const toHex = (value: number): string => value.toString(16);

/** All addresses are of networks reserved for documentation (RFC 5737, RFC 3849). */
function drawHabits(random: Random, person: Person, index: number, count: number): Habits {
  const network =
    person.timeZoneOffset < 0 ? '192.0.2' : person.timeZoneOffset < 5 ? '198.51.100' : '203.0.113';
  const isAssistant = !person.isProgram && count > 1 && random.chance(0.025);
  const other = random.between(0, Math.max(0, count - 2));
  return {
    index,
    officeIp: `${network}.${random.between(2, 30)}`,
    homeIp: random.chance(0.4)
      ? `2001:db8:${toHex(random.between(0x1000, 0xffff))}::${toHex(random.between(1, 0xffff))}`
      : `${network}.${random.between(64, 250)}`,
    principal: isAssistant ? (other >= index ? other + 1 : other) : null,
    mistakeProbability: person.lockedUntil || random.chance(0.1) ? 0.2 : 0.03,
  };
}

/** The records of one session: failed attempts, sign-in, what happens in it and its end. */
function drawSession(random: Random, person: Person, habits: Habits, midnight: number): SampleActivity[] {
  const records: SampleActivity[] = [];
  let at = midnight + drawStartOfSession(random, person) + random.between(0, 999);
  const source = person.isProgram ? SOURCE_API : random.weighted(ACTIVITY_DATA.sourceTypes);
  const ip =
    person.isProgram || person.ipRestrictionsEnabled || random.chance(0.7) ? habits.officeIp : habits.homeIp;
  const principal = habits.principal !== null && random.chance(0.5) ? habits.principal : null;
  const add = (type: number, sessionId: string | null, exportDataType: number | null = null) =>
    records.push({
      person: habits.index,
      at,
      type,
      source,
      ip,
      sessionId,
      // The activity has the start of acting only; what the proxy does is in the report of it (spec 2.3).
      principal: type === ACTIVITY.userSwitch ? principal : null,
      exportDataType,
    });

  if (random.chance(habits.mistakeProbability)) {
    for (let attempts = random.between(1, 3); attempts > 0; attempts -= 1) {
      add(ACTIVITY.failedLogin, null);
      at += random.between(4 * SECOND_MS, 40 * SECOND_MS);
    }
    if (person.lockedUntil && random.chance(0.3)) {
      add(ACTIVITY.lockout, null);
      return records;
    }
    if (person.ipRestrictionsEnabled && random.chance(0.2)) {
      add(ACTIVITY.addressForbidden, null);
      return records;
    }
  }
  if (person.twoFactorEnabled && random.chance(0.12)) {
    add(ACTIVITY.verificationRequired, null);
    at += random.between(8 * SECOND_MS, MINUTE_MS);
  }
  const sessionId = random.uuid();
  add(ACTIVITY.login, sessionId);
  at += random.between(MINUTE_MS, 50 * MINUTE_MS);
  if (principal !== null) add(ACTIVITY.userSwitch, sessionId);
  for (let exports = random.chance(0.13) ? random.between(1, 3) : 0; exports > 0; exports -= 1) {
    at += random.between(20 * SECOND_MS, 15 * MINUTE_MS);
    add(ACTIVITY.export, sessionId, random.weighted(ACTIVITY_DATA.exportDataTypes));
  }
  if (BACKUP_GROUPS.some((name) => person.groups.includes(name)) && random.chance(0.06))
    add(ACTIVITY.backup, sessionId);
  at += random.between(5 * MINUTE_MS, 3 * HOUR_MS);
  if (random.chance(0.3)) add(ACTIVITY.logout, sessionId);
  else if (random.chance(0.8)) add(ACTIVITY.expiry, sessionId);
  return records;
}

/** Milliseconds of the UTC day: around nine or two o'clock local time, for programs any time. */
function drawStartOfSession(random: Random, person: Person): number {
  if (person.isProgram) return random.between(0, DAY_MS - 1);
  const center = random.chance(0.62) ? 9.2 : 14.3;
  const deviation = random.next() + random.next() + random.next() - 1.5;
  const hour = center + deviation * 3 - person.timeZoneOffset;
  return Math.floor((((hour % 24) + 24) % 24) * HOUR_MS);
}

const isWorking = ({ isActive, isProgram }: Person): boolean => isActive && !isProgram;

/** The proxy may act for the principal. */
export interface SampleProxy {
  proxy: number;
  principal: number;
}

/**
 * Draws the proxy assignments: all that the activity needs, and for the delegation graph two proxies with the same principals, two
 * people who act for each other, a cycle of three, an inactive proxy, a program, and a proxy without two-factor sign-in.
 */
export function drawProxies(
  random: Random,
  people: readonly Person[],
  activity: readonly SampleActivity[],
): SampleProxy[] {
  const indexes = people.map((_, index) => index);
  const find = (matches: (person: Person) => boolean) =>
    indexes.filter((index) => people[index] !== undefined && matches(people[index]));
  const drawFrom = (candidates: readonly number[], count: number) =>
    Array.from({ length: candidates.length > 0 ? count : 0 }, () => random.pick(candidates));

  const working = find(isWorking);
  const [a, b, c, d, e] = drawFrom(working, 5);
  const assistants = drawFrom(working, 2);
  const board = drawFrom(working, 5);
  const unusualProxies = [
    ...drawFrom(
      find(({ isActive }) => !isActive),
      1,
    ),
    ...drawFrom(
      find((person) => isWorking(person) && !person.twoFactorEnabled),
      1,
    ),
    ...drawFrom(
      find(({ isProgram }) => isProgram),
      1,
    ),
  ];
  const pairs: (readonly [proxy: number | undefined, principal: number | null | undefined])[] = [
    ...activity.map(({ person, principal }) => [person, principal] as const),
    ...assistants.flatMap((proxy) => board.map((principal) => [proxy, principal] as const)),
    [a, b],
    [b, a],
    [c, d],
    [d, e],
    [e, c],
    ...unusualProxies.flatMap((proxy) =>
      drawFrom(working, 3).map((principal) => [proxy, principal] as const),
    ),
  ];
  const unique = new Map(pairs.map(([proxy, principal]) => [`${proxy}:${principal}`, { proxy, principal }]));
  return [...unique.values()].filter(
    (pair): pair is SampleProxy =>
      pair.proxy !== undefined &&
      pair.principal !== undefined &&
      pair.principal !== null &&
      pair.proxy !== pair.principal,
  );
}

/** A period in which a proxy acted for a principal in the console, with the operations the proxy called. */
export interface SampleReport extends SampleProxy {
  reason: string;
  startedAt: number;
  endedAt: number;
  steps: readonly { at: number; operationId: string; summary: string; subject: string }[];
}

const MAX_REPORTS = 40;

/** Draws the reports of the latest periods of acting in the activity. */
export function drawReports(random: Random, activity: readonly SampleActivity[]): SampleReport[] {
  const switches = activity.filter(
    ({ type, source }) => type === ACTIVITY.userSwitch && source === SOURCE_WEB,
  );
  return switches.slice(-MAX_REPORTS).flatMap(({ person, principal, at: startedAt }): SampleReport[] => {
    if (principal === null) return [];
    let at = startedAt;
    const steps = Array.from({ length: random.between(2, 14) }, () => {
      at += random.between(2 * SECOND_MS, 2 * MINUTE_MS);
      return { at, ...random.pick(ACTIVITY_DATA.actingOperations) };
    });
    const endedAt = at + random.between(SECOND_MS, 5 * MINUTE_MS);
    const reason = random.pick(ACTIVITY_DATA.actingReasons);
    return [{ proxy: person, principal, reason, startedAt, endedAt, steps }];
  });
}
