import type { TwoFactorCoverage } from '../../../api/generated/types.gen.ts';

type PartKey = Exclude<keyof TwoFactorCoverage, 'people' | 'administratorsNotSetUp'>;

interface Part {
  key: PartKey;
  label: string;
  number: number;
  note: string;
}

/** The colour of each in the bar and beside its number. */
export const PART_TONES: Readonly<Record<PartKey, 1 | 2 | 3 | 4>> = {
  requiredSetUp: 1,
  optionalSetUp: 2,
  requiredNotSetUp: 3,
  optionalNotSetUp: 4,
};

const WORDS: Readonly<Record<PartKey, Pick<Part, 'label' | 'note'>>> = {
  requiredSetUp: { label: 'Required and set up', note: 'asked at every sign-in' },
  optionalSetUp: { label: 'Set up, not required', note: 'asked as well' },
  requiredNotSetUp: { label: 'Required, not set up', note: 'at the next sign-in' },
  optionalNotSetUp: { label: 'Neither', note: 'password alone' },
};

const ORDER: readonly PartKey[] = ['requiredSetUp', 'optionalSetUp', 'requiredNotSetUp', 'optionalNotSetUp'];

/** The active users in four parts, and how many there are in all. */
export function partsOf(coverage: TwoFactorCoverage): {
  active: number;
  setUp: number;
  parts: readonly Part[];
} {
  const parts = ORDER.map((key) => ({ key, number: coverage[key], ...WORDS[key] }));
  return {
    active: parts.reduce((sum, { number }) => sum + number, 0),
    setUp: coverage.requiredSetUp + coverage.optionalSetUp,
    parts,
  };
}

/** How many stand out beyond those who are listed. */
export const unlisted = ({ requiredNotSetUp, people }: TwoFactorCoverage): number =>
  Math.max(0, requiredNotSetUp - people.filter(({ twoFactorEnabled }) => twoFactorEnabled).length);
