import { ADMINISTRATORS } from '../../areas/members/index.ts';
import { BACKUP_OPERATORS } from './groups.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';

export interface SampleActivity {
  /** Which person of the list. */
  person: number;
  at: number;
  type: number;
  source: number;
  ip: string;
  sessionId: string | null;
  /** For whom the person acted, as another place in the list. */
  principal: number | null;
  exportDataType: number | null;
}

// shapes 2: activity, source and exportDataType of UserActivityQuery.
const LOGIN = 1;
const FAILED = 2;
const LOGOUT = 3;
const EXPIRED = 4;
const LOCKED_OUT = 5;
const NEEDS_VERIFICATION = 6;
const FORBIDDEN = 7;
const EXPORT = 8;
const USER_SWITCH = 9;
const BACKUP = 10;
const API = 3;
const SOURCES = [
  [1, 80],
  [2, 13],
  [API, 3],
  [4, 4],
] as const;
const EXPORTS = [
  [0, 60],
  [1, 8],
  [2, 6],
  [3, 18],
  [4, 8],
] as const;

const BACKUP_GROUPS = [ADMINISTRATORS, BACKUP_OPERATORS];

const DAY = 24 * 3600_000;
const DAYS = 365;
const ROWS_PER_SESSION = 2.2;
// Sunday to Saturday, beside an ordinary Tuesday.
const WEEK = [0.04, 0.92, 1, 1, 0.96, 0.78, 0.06];

/** A year of activity up to `asOf`, in the order of time; about `rows` records. */
export function drawActivity(
  random: Random,
  people: readonly Person[],
  options: { asOf: Date; rows: number },
): SampleActivity[] {
  const start = options.asOf.getTime() - DAYS * DAY;
  const plans = people.map((person) => ({ ...workingDays(person, start), person }));
  const effort = plans.reduce((sum, { days, person }) => sum + days * person.diligence, 0) * 0.68;
  const perEffort = options.rows / ROWS_PER_SESSION / Math.max(effort, 1);
  const records: SampleActivity[] = [];
  for (const [index, { person, from, days }] of plans.entries()) {
    const habits = drawHabits(random, person, index, people.length);
    for (let day = 0; day < days; day += 1) {
      const midnight = from + day * DAY;
      const weight = person.isProgram ? 0.72 : (WEEK[new Date(midnight).getUTCDay()] ?? 1) * season(midnight);
      let chance = person.diligence * perEffort * weight;
      // The busiest sign in more than once a day.
      for (; chance > 0 && random.chance(chance); chance -= 1)
        addSession(random, records, person, habits, midnight);
    }
  }
  const last = options.asOf.getTime();
  return records.filter((record) => record.at <= last).toSorted((one, other) => one.at - other.at);
}

function workingDays(person: Person, start: number): { from: number; days: number } {
  const from = Math.max(start, Math.ceil(person.createdAt.getTime() / DAY) * DAY);
  return { from, days: Math.max(0, Math.floor((person.activeUntil.getTime() - from) / DAY) + 1) };
}

/** Quiet in August and around the turn of the year. */
function season(at: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  const month = date.getUTCMonth();
  if (month === 7) return 0.7;
  return (month === 11 && day > 22) || (month === 0 && day < 3) ? 0.2 : 1;
}

interface Habits {
  index: number;
  office: string;
  home: string;
  /** For whom this person may act, where they are somebody's assistant. */
  principal: number | null;
  mistakes: number;
}

// Networks reserved for documentation (RFC 5737, RFC 3849): nobody's real address.
function drawHabits(random: Random, person: Person, index: number, count: number): Habits {
  const net = person.timeZoneOffset < 0 ? '192.0.2' : person.timeZoneOffset < 5 ? '198.51.100' : '203.0.113';
  const isAssistant = !person.isProgram && count > 1 && random.chance(0.025);
  const other = random.between(0, Math.max(0, count - 2));
  return {
    index,
    office: `${net}.${random.between(2, 30)}`,
    home: random.chance(0.4)
      ? `2001:db8:${random.between(0x1000, 0xffff).toString(16)}::${random.between(1, 0xffff).toString(16)}`
      : `${net}.${random.between(64, 250)}`,
    principal: isAssistant ? (other >= index ? other + 1 : other) : null,
    mistakes: person.lockedUntil || random.chance(0.1) ? 0.2 : 0.03,
  };
}

function addSession(
  random: Random,
  records: SampleActivity[],
  person: Person,
  habits: Habits,
  midnight: number,
): void {
  let at = midnight + localStart(random, person) + random.between(0, 999);
  const source = person.isProgram ? API : random.weighted(SOURCES);
  const ip =
    person.isProgram || person.ipRestrictionsEnabled || random.chance(0.7) ? habits.office : habits.home;
  const principal = habits.principal !== null && random.chance(0.5) ? habits.principal : null;
  // What a proxy does while acting is told by the report of it; the activity has when it began (spec 2.3).
  const add = (type: number, sessionId: string | null, exportDataType: number | null = null) =>
    records.push({
      person: habits.index,
      at,
      type,
      source,
      ip,
      sessionId,
      principal: type === USER_SWITCH ? principal : null,
      exportDataType,
    });

  if (random.chance(habits.mistakes)) {
    for (let tries = random.between(1, 3); tries > 0; tries -= 1) {
      add(FAILED, null);
      at += random.between(4_000, 40_000);
    }
    if (person.lockedUntil && random.chance(0.3)) return void add(LOCKED_OUT, null);
    if (person.ipRestrictionsEnabled && random.chance(0.2)) return void add(FORBIDDEN, null);
  }
  if (person.twoFactorEnabled && random.chance(0.12)) {
    add(NEEDS_VERIFICATION, null);
    at += random.between(8_000, 60_000);
  }
  const sessionId = random.uuid();
  add(LOGIN, sessionId);
  at += random.between(60_000, 50 * 60_000);
  if (principal !== null) add(USER_SWITCH, sessionId);
  for (let exports = random.chance(0.13) ? random.between(1, 3) : 0; exports > 0; exports -= 1) {
    at += random.between(20_000, 15 * 60_000);
    add(EXPORT, sessionId, random.weighted(EXPORTS));
  }
  if (BACKUP_GROUPS.some((name) => person.groups.includes(name)) && random.chance(0.06))
    add(BACKUP, sessionId);
  at += random.between(5 * 60_000, 3 * 3600_000);
  if (random.chance(0.3)) add(LOGOUT, sessionId);
  else if (random.chance(0.8)) add(EXPIRED, sessionId);
}

/** When in the UTC day a session starts: around nine or two o'clock at home, programs at any time. */
function localStart(random: Random, person: Person): number {
  if (person.isProgram) return random.between(0, DAY - 1);
  const centre = random.chance(0.62) ? 9.2 : 14.3;
  const spread = random.next() + random.next() + random.next() - 1.5;
  const hour = centre + spread * 3 - person.timeZoneOffset;
  return Math.floor((((hour % 24) + 24) % 24) * 3600_000);
}
