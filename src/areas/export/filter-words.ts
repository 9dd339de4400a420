import { licenseType } from '../../../contract/rules/licenses.ts';
import type { GroupInfoResponse } from '../../api/generated/types.gen.ts';
import { FILTER_KEYS } from '../../directory/facets.ts';
import type { FilterKey, Filters } from '../../directory/facets.ts';

const LABELS: Record<FilterKey, string> = {
  status: 'Status',
  license: 'License',
  group: 'Group',
  twoFactor: 'Two-factor',
  addresses: 'Approved addresses',
  changed: 'Changed',
};
const AGES: Record<string, string> = {
  1: 'last 24 hours',
  7: 'last 7 days',
  30: 'last 30 days',
  90: 'last 90 days',
};

/** What a list asks for, in words: "Search: marsh · License: Standard, Limited". */
export function filterWords(
  { q, filters }: { q: string; filters: Filters },
  groups: readonly GroupInfoResponse[],
): string {
  const word = (key: FilterKey, value: string): string => {
    if (key === 'license') return licenseType(Number(value))?.description ?? value;
    if (key === 'group') return groups.find(({ id }) => String(id) === value)?.name ?? `Group ${value}`;
    return key === 'changed' ? (AGES[value] ?? value) : value;
  };
  const parts = FILTER_KEYS.filter((key) => filters[key].length > 0 && !isEverybody(key, filters[key])).map(
    (key) => `${LABELS[key]}: ${filters[key].map((value) => word(key, value)).join(', ')}`,
  );
  return [...(q.trim() === '' ? [] : [`Search: ${q.trim()}`]), ...parts].join(' · ') || 'Everybody';
}

/** Who is active or inactive is everybody. */
const isEverybody = (key: FilterKey, values: readonly string[]): boolean =>
  key === 'status' && values.includes('active') && values.includes('inactive');
