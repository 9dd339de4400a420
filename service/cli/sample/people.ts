/** Draws the users of a sample site with their names, groups and licenses, and how their licenses changed. */
import { NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { ADMINISTRATORS_GROUP } from '../../areas/members/index.ts';
import type { Random } from '../load/random.ts';
import {
  INTEGRATIONS_GROUP,
  NAME_POOLS,
  PARTNERS_GROUP,
  PEOPLE_DATA,
  type PersonName,
  SAMPLE_GROUPS,
  type SampleGroup,
} from './data.ts';

export interface Person {
  email: string;
  firstName: string;
  lastName: string;
  /** Names of their groups. */
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
  /** Last day of work of an inactive person; the day of the sample for active ones. */
  activeUntil: Date;
  /** Hours ahead of UTC. */
  timeZoneOffset: number;
  /** An account of a program. */
  isProgram: boolean;
  /** Weight of this person's activity: most people use the platform little, a few all day. */
  activityWeight: number;
}

interface DrawnName {
  first: string;
  last: string;
  /** Both parts in ASCII letters, for the e-mail address. */
  latin: string;
  timeZoneOffset: number;
}

export interface PeopleOptions {
  count: number;
  asOf: Date;
  domain: string;
  partnerDomain: string;
  /** E-mail addresses in use; new ones are added to it. */
  takenEmails: Set<string>;
}

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 366 * DAY_MS;

/** Letters that normalization does not decompose. */
const LATIN_REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

function toLatin(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßøæœđðłþı]/g, (letter) => LATIN_REPLACEMENTS[letter] ?? '')
    .normalize('NFD')
    .replace(/[^a-z-]/g, '');
}

const addLatin = (name: PersonName) => (typeof name === 'string' ? { name, latin: toLatin(name) } : name);

const namePools = NAME_POOLS.map(
  ({ weight, timeZoneOffset, firstNames, lastNames }) =>
    [
      { timeZoneOffset, firstNames: firstNames.map(addLatin), lastNames: lastNames.map(addLatin) },
      weight,
    ] as const,
);

export function drawName(random: Random): DrawnName {
  const { timeZoneOffset, firstNames, lastNames } = random.weighted(namePools);
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  return { first: first.name, last: last.name, latin: `${first.latin}.${last.latin}`, timeZoneOffset };
}

const INITIALS = 'ABCDEFGHJKLMNPRSTVW'.split('');

/** Adds a middle initial to some names in Latin letters. */
function drawNameWithInitial(random: Random): DrawnName {
  const name = drawName(random);
  if (!/^\p{Script=Latin}/u.test(name.first) || !random.chance(0.18)) return name;
  return { ...name, first: `${name.first} ${random.pick(INITIALS)}.` };
}

function drawProgramName(random: Random): DrawnName {
  const program = random.pick(PEOPLE_DATA.serviceAccounts);
  return { first: 'Service', last: program.replace('-', ' '), latin: `svc-${program}`, timeZoneOffset: 0 };
}

const departments = SAMPLE_GROUPS.flatMap((group) =>
  group.department ? [[group, group.department.share] as const] : [],
);

/** Draws the people of one site; the first ones are its administrators. */
export function drawPeople(random: Random, options: PeopleOptions): Person[] {
  const administrators = Math.max(2, Math.min(12, Math.round(options.count / 80)));
  return Array.from({ length: options.count }, (_, index) => {
    const department = index < administrators ? undefined : random.weighted(departments);
    return drawPerson(random, options, department);
  });
}

/** Without a department the person is an administrator. */
function drawPerson(random: Random, options: PeopleOptions, department: SampleGroup | undefined): Person {
  const isProgram = department?.name === INTEGRATIONS_GROUP;
  const name = isProgram ? drawProgramName(random) : drawNameWithInitial(random);
  const domain = department?.name === PARTNERS_GROUP ? options.partnerDomain : options.domain;
  const isAdministrator = !department;
  const asOf = options.asOf.getTime();
  // The company is six years old and has grown faster lately.
  const createdAt = asOf - Math.floor(random.next() ** 1.6 * 6 * 365 * DAY_MS) - HOUR_MS;
  const isActive = isAdministrator || !random.chance(0.09);
  const activeUntil = isActive ? asOf : createdAt + Math.floor(random.next() * (asOf - createdAt));
  const isLocked = !isAdministrator && isActive && random.chance(0.012);
  const licenseTypeId = drawLicense(random, isActive, department);
  return {
    email: createEmail(name.latin, domain, options.takenEmails),
    firstName: name.first,
    lastName: name.last,
    groups: [
      department?.name ?? ADMINISTRATORS_GROUP,
      ...(isProgram ? [] : drawFurtherGroups(random, isAdministrator)),
    ],
    isActive,
    licenseTypeId,
    twoFactorEnabled: isAdministrator || (!isProgram && random.chance(0.34)),
    ipRestrictionsEnabled: isProgram || (!isAdministrator && random.chance(0.12)),
    userEntryId: random.chance(0.86) ? random.between(10_000, 9_999_999) : null,
    federationId: random.chance(0.2) ? random.uuid() : null,
    failedCount: isLocked ? 5 : 0,
    lockedUntil: isLocked ? new Date(asOf + random.between(30, 90) * DAY_MS) : null,
    createdAt: new Date(createdAt),
    modifiedAt: new Date(
      Math.min(asOf, Math.max(createdAt, asOf - Math.floor(random.next() ** 2 * 900 * DAY_MS))),
    ),
    activeUntil: new Date(activeUntil),
    timeZoneOffset: name.timeZoneOffset,
    isProgram,
    activityWeight: random.next() ** 3 + 0.01,
  };
}

const INACTIVE_LICENSE_WEIGHTS = [
  [NO_LICENSE, 7],
  [1, 2],
  [2, 1],
] as const;

function drawLicense(random: Random, isActive: boolean, department: SampleGroup | undefined): number {
  if (!isActive) return random.weighted<number>(INACTIVE_LICENSE_WEIGHTS);
  const weights = department?.department?.licenseWeights ?? [1];
  return random.weighted(weights.map((weight, index) => [index + 1, weight] as const));
}

function drawFurtherGroups(random: Random, isAdministrator: boolean): string[] {
  const groups = SAMPLE_GROUPS.filter(
    ({ joinProbability }) => joinProbability !== undefined && random.chance(joinProbability),
  ).map(({ name }) => name);
  if (isAdministrator && random.chance(0.5)) groups.push(random.pick(PEOPLE_DATA.administratorDepartments));
  return groups;
}

/** Appends a number to the local part if the address is taken. */
function createEmail(localPart: string, domain: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const email = `${localPart}${number > 1 ? number : ''}@${domain}`;
    if (taken.has(email)) continue;
    taken.add(email);
    return email;
  }
}

/** An audit event about the license of a person. Persons are indexes into the list of people. */
export interface SampleLicenseChange {
  person: number;
  at: Date;
  /** The administrator who made the change. */
  by: number;
  /** null: the person was created with the license `after`. */
  before: number | null;
  after: number;
}

/** By current license type, the weights of the previous one. */
const PREVIOUS_LICENSE_WEIGHTS: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  1: [
    [2, 7],
    [3, 3],
  ],
  2: [
    [1, 8],
    [3, 2],
  ],
  3: [[1, 1]],
  [NO_LICENSE]: [
    [1, 6],
    [2, 4],
  ],
};

/** Draws the license events of the year before `asOf`, in order of time. They lead to the current licenses of the people. */
export function drawLicenseChanges(
  random: Random,
  people: readonly Person[],
  asOf: Date,
): SampleLicenseChange[] {
  const since = asOf.getTime() - YEAR_MS;
  const administrators = people.findIndex(({ groups }) => !groups.includes(ADMINISTRATORS_GROUP));
  const changes = people.flatMap((person, index) => {
    const by = random.between(0, Math.max(0, administrators - 1));
    return drawLicenseChangesOfPerson(random, person, since).map((change) => ({
      ...change,
      person: index,
      by,
    }));
  });
  return changes.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

/** The license changes at the last modification of the person, so that it does not contradict the other dates. */
function drawLicenseChangesOfPerson(random: Random, person: Person, since: number) {
  const { createdAt, modifiedAt, licenseTypeId } = person;
  const isRecent = modifiedAt.getTime() > since && modifiedAt > createdAt;
  const probability = licenseTypeId === NO_LICENSE ? 0.8 : 0.16;
  const before =
    isRecent && !person.isProgram && random.chance(probability)
      ? random.weighted(PREVIOUS_LICENSE_WEIGHTS[licenseTypeId] ?? [[1, 1]])
      : undefined;
  return [
    ...(createdAt.getTime() > since ? [{ at: createdAt, before: null, after: before ?? licenseTypeId }] : []),
    ...(before === undefined ? [] : [{ at: modifiedAt, before, after: licenseTypeId }]),
  ];
}
