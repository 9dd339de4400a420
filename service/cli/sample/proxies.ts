import type { SampleActivity } from './activity.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';

/** The proxy may act for the principal; both are places in the list of people. */
export interface SampleProxy {
  proxy: number;
  principal: number;
}

/** A time when somebody acted for somebody in the console. */
export interface SampleReport extends SampleProxy {
  reason: string;
  startedAt: number;
  endedAt: number;
  steps: readonly { at: number; operationId: string; summary: string; subject: string }[];
}

const USER_SWITCH = 9;
const WEB = 1;
const MINUTE = 60_000;
const RECENT_REPORTS = 40;
const REASONS = [
  'The list of users is empty for them',
  'On holiday until Monday, a report is due',
  'Cannot find last quarter’s sign-ins',
  'Showing a new colleague what they will see',
  'Ticket 4711',
];

/** What is looked at while acting; words of the contract. */
const LOOKS = [
  ['searchUsers', 'Search users', 'pageSize=1000'],
  ['listGroups', 'List user groups', 'pageSize=1000'],
  ['searchUserLicenses', 'Search licenses', 'isBillable=true pageSize=100'],
  ['queryUserActivity', 'Report the activity of users', 'pageNumber=1 pageSize=50'],
] as const;

/**
 * Who may act for whom: whoever did in the activity, and what a graph of delegation has to show: an office of two with
 * the same principals, two who cover for each other, a circle of three, a proxy who is inactive, one without two-factor.
 */
export function drawProxies(
  random: Random,
  people: readonly Person[],
  activity: readonly SampleActivity[],
): SampleProxy[] {
  const places = people.map((_, index) => index);
  const able = places.filter((at) => people[at]?.isActive === true && !people[at].isProgram);
  const drawFrom = (from: readonly number[], count: number) =>
    Array.from({ length: from.length > 0 ? count : 0 }, () => random.pick(from));
  const [a, b, c, d, e] = drawFrom(able, 5);
  const office = drawFrom(able, 2);
  const board = drawFrom(able, 5);
  const resting = drawFrom(
    places.filter((at) => people[at]?.isActive === false),
    1,
  );
  const careless = drawFrom(
    able.filter((at) => people[at]?.twoFactorEnabled === false),
    1,
  );
  const program = drawFrom(
    places.filter((at) => people[at]?.isProgram),
    1,
  );
  const pairs = [
    ...activity.flatMap(({ person, principal }) => [[person, principal] as const]),
    ...office.flatMap((proxy) => board.map((principal) => [proxy, principal] as const)),
    ...([
      [a, b],
      [b, a],
      [c, d],
      [d, e],
      [e, c],
    ] as const),
    ...[...resting, ...careless, ...program].flatMap((proxy) =>
      drawFrom(able, 3).map((principal) => [proxy, principal] as const),
    ),
  ];
  const each = new Map(pairs.map(([proxy, principal]) => [`${proxy}:${principal}`, { proxy, principal }]));
  return [...each.values()].filter(
    (pair): pair is SampleProxy =>
      pair.proxy !== undefined &&
      pair.principal !== undefined &&
      pair.principal !== null &&
      pair.proxy !== pair.principal,
  );
}

/** The latest times when somebody acted in the console, with what they looked at. */
export function drawReports(random: Random, activity: readonly SampleActivity[]): SampleReport[] {
  const switches = activity.filter(({ type, source }) => type === USER_SWITCH && source === WEB);
  return switches.slice(-RECENT_REPORTS).flatMap(({ person, principal, at }): SampleReport[] => {
    if (principal === null) return [];
    let moment = at;
    const steps = Array.from({ length: random.between(2, 14) }, () => {
      moment += random.between(2_000, 2 * MINUTE);
      const [operationId, summary, subject] = random.pick(LOOKS);
      return { at: moment, operationId, summary, subject };
    });
    const endedAt = moment + random.between(1_000, 5 * MINUTE);
    return [{ proxy: person, principal, reason: random.pick(REASONS), startedAt: at, endedAt, steps }];
  });
}
