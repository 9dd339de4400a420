import { activities, exportKinds, sources } from '../../../../contract/rules/activity.ts';
import { periodWords } from './moments.ts';
import { boundsOf, PRESET_WORDS } from './range.ts';
import type { Range } from './presets.ts';
import type { ActivityView } from './view.ts';

/** A period in words: what it is called, or between which moments it lies. */
export function rangeWords(range: Range, now: number, zone: string): string {
  if ('preset' in range) return PRESET_WORDS[range.preset];
  const { from, to } = boundsOf(range, now, zone);
  return range.to === undefined ? `Since ${periodWords(from, from)}` : periodWords(from, to);
}

const list = (label: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];

/** What a view asks for beside its period: "Type: Login Failed · Source: API". */
export function filterWords(view: ActivityView, nameOf: (userId: number) => string): string[] {
  const { people, principals, types, sources: from, kind, address, onlyProxy } = view;
  return [
    ...list('People', people.map(nameOf)),
    ...list('For', principals.map(nameOf)),
    ...list(
      'Type',
      types.map((type) => activities[type] ?? String(type)),
    ),
    ...list('Export kind', kind === undefined ? [] : [exportKinds[kind] ?? String(kind)]),
    ...list(
      'Source',
      from.map((source) => sources[source] ?? String(source)),
    ),
    ...list('IP address', address === '' ? [] : [address]),
    ...(onlyProxy ? ['Only through a proxy'] : []),
  ];
}
