import { licenseType } from '../../contract/rules/licenses.ts';
import type { GroupInfoResponse } from '../api/generated/types.gen.ts';
import type { FilterKey, Filters } from '../directory/facets.ts';

const KEYS: readonly FilterKey[] = ['status', 'license', 'group', 'twoFactor', 'addresses', 'changed'];
const LABELS: Record<FilterKey, string> = {
  status: 'Status',
  license: 'License',
  group: 'Group',
  twoFactor: 'Two-factor',
  addresses: 'Approved addresses',
  changed: 'Changed within days',
};

/** What a list asks for, in words: "Search: marsh · License: Standard, Limited". */
export function filterWords(
  { q, filters }: { q: string; filters: Filters },
  groups: readonly GroupInfoResponse[],
): string {
  const word = (key: FilterKey, value: string): string => {
    if (key === 'license') return licenseType(Number(value))?.description ?? value;
    if (key === 'group') return groups.find(({ id }) => String(id) === value)?.name ?? `Group ${value}`;
    return value;
  };
  const parts = KEYS.filter((key) => filters[key].length > 0).map(
    (key) => `${LABELS[key]}: ${filters[key].map((value) => word(key, value)).join(', ')}`,
  );
  return [...(q.trim() === '' ? [] : [`Search: ${q.trim()}`]), ...parts].join(' · ') || 'Everybody';
}
