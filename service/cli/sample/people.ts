import { ADMINISTRATORS } from '../../areas/members/index.ts';
import {
  BACKUP_OPERATORS,
  INTEGRATIONS,
  PARTNERS,
  SAMPLE_GROUPS,
  type SampleGroup,
  STEWARDS,
} from './groups.ts';
import { drawName } from './names.ts';
import type { Random } from './random.ts';

export interface Person {
  email: string;
  firstName: string;
  lastName: string;
  groups: string[];
  isActive: boolean;
  licenseTypeId: number;
  twoFactorEnabled: boolean;
  ipRestrictionsEnabled: boolean;
  userEntryId: number | null;
  federationId: string | null;
  failedCount: number;
  lockedUntil: Date | null;
  createdAt: Date;
  modifiedAt: Date;
  /** When an inactive person was last at work; for active ones the day of the sample. */
  activeUntil: Date;
  /** Hours ahead of UTC. */
  timeZoneOffset: number;
  isProgram: boolean;
  /** How much this person uses the platform beside others; most use it little, a few all day. */
  diligence: number;
}

const DAY = 24 * 3600_000;
const PROGRAMS = [
  'crm-sync',
  'mail-import',
  'data-warehouse',
  'report-runner',
  'directory-sync',
  'market-feed',
  'archive',
];
const DEPARTMENTS = SAMPLE_GROUPS.filter((group) => group.share > 0).map(
  (group) => [group, group.share] as const,
);
const EXTRA_GROUPS = [
  [STEWARDS, 0.03],
  ['Proxy administrators', 0.008],
  [BACKUP_OPERATORS, 0.006],
  ['Agent pilot', 0.05],
] as const;

/**
 * The people of one site. `taken` holds e-mail addresses in use and receives the new ones. The first few are the
 * administrators.
 */
export function drawPeople(
  random: Random,
  options: { count: number; asOf: Date; domain: string; partnerDomain: string; taken: Set<string> },
): Person[] {
  const administrators = Math.max(2, Math.min(12, Math.round(options.count / 80)));
  return Array.from({ length: options.count }, (_, index) => {
    const department = index < administrators ? undefined : random.weighted(DEPARTMENTS);
    return drawPerson(random, options, department);
  });
}

function drawPerson(
  random: Random,
  options: { asOf: Date; domain: string; partnerDomain: string; taken: Set<string> },
  department: SampleGroup | undefined,
): Person {
  const isProgram = department?.name === INTEGRATIONS;
  const name = isProgram ? drawProgram(random) : drawPersonName(random);
  const domain = department?.name === PARTNERS ? options.partnerDomain : options.domain;
  const isAdministrator = !department;
  const asOf = options.asOf.getTime();
  // A firm that has grown for six years, faster lately.
  const createdAt = asOf - Math.floor(random.next() ** 1.6 * 6 * 365 * DAY) - 3600_000;
  const isActive = isAdministrator || !random.chance(0.09);
  const activeUntil = isActive ? asOf : createdAt + Math.floor(random.next() * (asOf - createdAt));
  const isLocked = !isAdministrator && isActive && random.chance(0.012);
  const licenseTypeId = isActive
    ? drawLicense(random, department)
    : random.weighted([
        [4, 7],
        [1, 2],
        [2, 1],
      ]);
  return {
    email: uniqueEmail(name.latin, domain, options.taken),
    firstName: name.first,
    lastName: name.last,
    groups: [
      department?.name ?? ADMINISTRATORS,
      ...(isProgram ? [] : drawExtraGroups(random, isAdministrator)),
    ],
    isActive,
    licenseTypeId,
    twoFactorEnabled: isAdministrator || (!isProgram && random.chance(0.34)),
    ipRestrictionsEnabled: isProgram || (!isAdministrator && random.chance(0.12)),
    userEntryId: random.chance(0.86) ? random.between(10_000, 9_999_999) : null,
    federationId: random.chance(0.2) ? random.uuid() : null,
    failedCount: isLocked ? 5 : 0,
    lockedUntil: isLocked ? new Date(asOf + random.between(30, 90) * DAY) : null,
    createdAt: new Date(createdAt),
    modifiedAt: new Date(
      Math.min(asOf, Math.max(createdAt, asOf - Math.floor(random.next() ** 2 * 900 * DAY))),
    ),
    activeUntil: new Date(activeUntil),
    timeZoneOffset: name.timeZoneOffset,
    isProgram,
    diligence: random.next() ** 3 + 0.01,
  };
}

function drawLicense(random: Random, department: SampleGroup | undefined): number {
  const chances = department?.licenses ?? ([1, 0, 0, 0] as const);
  return random.weighted(chances.map((weight, index) => [index + 1, weight] as const));
}

function drawExtraGroups(random: Random, isAdministrator: boolean): string[] {
  const extra: string[] = EXTRA_GROUPS.filter(([, chance]) => random.chance(chance)).map(([name]) => name);
  // Many administrators keep their department.
  if (isAdministrator && random.chance(0.5))
    extra.push(random.pick(['Engineering', 'Operations', 'Support']));
  return extra;
}

function drawPersonName(random: Random) {
  const name = drawName(random);
  if (/^\p{Script=Latin}/u.test(name.first) && random.chance(0.18)) {
    return { ...name, first: `${name.first} ${random.pick('ABCDEFGHJKLMNPRSTVW'.split(''))}.` };
  }
  return name;
}

function drawProgram(random: Random) {
  const latin = `svc-${random.pick(PROGRAMS)}`;
  const last = latin.slice(4).replace('-', ' ');
  return { first: 'Service', last, latin, timeZoneOffset: 0 };
}

function uniqueEmail(latin: string, domain: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const email = `${latin}${number > 1 ? number : ''}@${domain}`;
    if (!taken.has(email)) {
      taken.add(email);
      return email;
    }
  }
}
