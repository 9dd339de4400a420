import type { TwoFactorCoverage } from '../../../../contract/generated/types.gen.ts';

type CoverageGroupKey = Exclude<keyof TwoFactorCoverage, 'people' | 'administratorsNotSetUp'>;

interface CoverageGroup {
  key: CoverageGroupKey;
  label: string;
  count: number;
  note: string;
}

/** Colours of the groups in the bar and the tiles. */
export const GROUP_TONES: Readonly<Record<CoverageGroupKey, 1 | 2 | 3 | 4>> = {
  requiredSetUp: 1,
  optionalSetUp: 2,
  requiredNotSetUp: 3,
  optionalNotSetUp: 4,
};

const GROUP_LABELS: Readonly<Record<CoverageGroupKey, Pick<CoverageGroup, 'label' | 'note'>>> = {
  requiredSetUp: { label: 'Required and set up', note: 'used at every sign-in' },
  optionalSetUp: { label: 'Set up, not required', note: 'used at every sign-in' },
  requiredNotSetUp: { label: 'Required, not set up', note: 'set up at the next sign-in' },
  optionalNotSetUp: { label: 'Neither', note: 'password only' },
};

const GROUP_ORDER: readonly CoverageGroupKey[] = [
  'requiredSetUp',
  'optionalSetUp',
  'requiredNotSetUp',
  'optionalNotSetUp',
];

/** Active users in four groups, with totals. */
export function getCoverageGroups(coverage: TwoFactorCoverage): {
  active: number;
  setUp: number;
  groups: readonly CoverageGroup[];
} {
  const groups = GROUP_ORDER.map((key) => ({ key, count: coverage[key], ...GROUP_LABELS[key] }));
  return {
    active: groups.reduce((sum, { count }) => sum + count, 0),
    setUp: coverage.requiredSetUp + coverage.optionalSetUp,
    groups,
  };
}

/** Number of users without a required second factor beyond those listed. */
export const countUnlisted = ({ requiredNotSetUp, people }: TwoFactorCoverage): number =>
  Math.max(0, requiredNotSetUp - people.filter(({ twoFactorEnabled }) => twoFactorEnabled).length);
