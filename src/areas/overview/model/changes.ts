import type { ChangedEntry, ConfigurationChange } from '../../../../contract/generated/types.gen.ts';
import { formatConfigurationAction } from '../../activity/index.ts';

/** A row of the recent changes: an entry, or the configuration of the site. */
export type RecentChange =
  | { kind: 'data'; at: string; entry: ChangedEntry }
  | { kind: 'configuration'; at: string; change: ConfigurationChange };

/** The newest changes of both logs together, newest first. */
export function mergeChanges(
  entries: readonly ChangedEntry[],
  configuration: readonly ConfigurationChange[],
  limit: number,
): RecentChange[] {
  return [
    ...entries.map((entry): RecentChange => ({ kind: 'data', at: entry.at, entry })),
    ...configuration.map((change): RecentChange => ({ kind: 'configuration', at: change.date, change })),
  ]
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, limit);
}

/** What a change of the configuration did, to follow the name of its author; without an author the sentence is complete. */
export function formatAct(change: ConfigurationChange): { needsAuthor: boolean; text: string } {
  const text = formatConfigurationAction(change);
  // "The API key of Ada Okafor expired" names what acted.
  if (text.startsWith('The ')) return { needsAuthor: false, text };
  return { needsAuthor: true, text: `${text.charAt(0).toLowerCase()}${text.slice(1)}` };
}
