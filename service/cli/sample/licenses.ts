import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { ADMINISTRATORS } from '../../areas/members/index.ts';
import type { Person } from './people.ts';
import type { Random } from './random.ts';

/** One audit row about the license of a person: how they came, or how it changed. */
export interface SampleLicenseChange {
  /** Which person of the list. */
  person: number;
  at: Date;
  /** Who did it, as another place in the list. */
  by: number;
  /** null: the person came. */
  before: number | null;
  after: number;
}

const YEAR = 366 * 24 * 3600_000;

/** What somebody had before, by what they have now: grown out of a trial, made smaller, or given up. */
const BEFORE: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
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

/** A year of licenses up to `asOf`, in the order of time: who came with which, and how it changed to that of today. */
export function drawLicenseChanges(
  random: Random,
  people: readonly Person[],
  asOf: Date,
): SampleLicenseChange[] {
  const since = asOf.getTime() - YEAR;
  const administrators = people.findIndex((person) => !person.groups.includes(ADMINISTRATORS));
  const changes = people.flatMap((person, index) => {
    const by = random.between(0, Math.max(0, administrators - 1));
    return drawChanges(random, person, since).map((change) => ({ ...change, person: index, by }));
  });
  return changes.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

/** The newest change is the last thing that was changed about the person, so that no date contradicts another. */
function drawChanges(random: Random, person: Person, since: number) {
  const { createdAt, modifiedAt, licenseTypeId } = person;
  const isRecent = modifiedAt.getTime() > since && modifiedAt > createdAt;
  const chance = licenseTypeId === NO_LICENSE ? 0.8 : 0.16;
  const before =
    isRecent && !person.isProgram && random.chance(chance)
      ? random.weighted(BEFORE[licenseTypeId] ?? [[1, 1]])
      : undefined;
  return [
    ...(createdAt.getTime() > since ? [{ at: createdAt, before: null, after: before ?? licenseTypeId }] : []),
    ...(before === undefined ? [] : [{ at: modifiedAt, before, after: licenseTypeId }]),
  ];
}
