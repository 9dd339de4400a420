import type { RowVm } from '../../api/generated/types.gen.ts';
import type { PastSource } from '../export/source.ts';
import { inPages } from '../pages.ts';
import type { Field } from '../schema.ts';
import { markFrom } from './marks.ts';
import type { PastView } from './past-view.ts';
import { readPastRows } from './use-past.ts';
import type { PastQuestion } from './use-past.ts';

/** What a list as it was tells of itself, in words: stands in the file's name and in the file. */
export const pastWords = (asOf: string, { only, withAdded }: Pick<PastView, 'only' | 'withAdded'>): string =>
  [
    `As of ${asOf.slice(0, 19).replace('T', ' ')} UTC`,
    ...(only ? [`Only ${only} since`] : []),
    ...(withAdded && !only ? ['With those added since'] : []),
  ].join(' · ');

/**
 * A list as it was, for an export: each row tells the moment, and what became of it since. What it was at a moment does
 * not change any more, so its places hold while it is read.
 */
export function pastSource(typeId: number, question: PastQuestion, all: readonly Field[]): PastSource {
  const told = new WeakMap<RowVm, { since: string; fields: string }>();
  const nameOf = new Map(all.map(({ apiName, name }) => [apiName, name]));
  const { asOf } = question;
  return {
    columns: [
      { heading: 'As of (UTC)', width: 20, cell: () => asOf },
      { heading: 'Since then', width: 20, cell: (row) => told.get(row)?.since ?? 'Same' },
      { heading: 'Different today', width: 30, cell: (row) => told.get(row)?.fields ?? '' },
    ],
    pages: (fields, signal) =>
      inPages(async ({ limit, skip }) => {
        const answer = await readPastRows(typeId, { ...question, fields, limit, skip }, signal);
        const rows = new Map(answer.rows.map((row) => [row.EntryId, row]));
        for (const difference of answer.differences) {
          const row = rows.get(difference.entryId);
          const names = difference.fields?.map((name) => nameOf.get(name) ?? name) ?? [];
          if (row) told.set(row, { since: markFrom(difference).words, fields: names.join('; ') });
        }
        return answer.rows;
      }),
  };
}
