import { toCsv } from '../../../files/csv.ts';
import { saveFile } from '../../../files/save-file.ts';
import type { JobAction } from '../../../app/jobs/jobs.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { writtenOf } from '../editing/written.ts';
import type { EntryJob } from './keep.ts';
import type { Outcome } from './perform.ts';
import { inverse } from './plan.ts';
import type { Refusal } from './plan.ts';
import { openEntryBulk } from './request.ts';
import { undoFile } from './undo-file.ts';

const WORDS: Record<Outcome['result'], string> = {
  done: 'done',
  already: 'was so already',
  conflict: 'changed meanwhile, left alone',
  failed: 'failed',
};
const HEAD = ['entry id', 'name', 'result', 'reason', 'request id', 'before', 'after'];
const LEFT_HEAD = ['entry id', 'name', 'reason'];

/** Ids and plain values: what a program can read again. */
const plain = (value: FieldValue | undefined): string => {
  const { value: written, currencyCode } = writtenOf(value);
  const text = [written ?? ''].flat().join('; ');
  return currencyCode === undefined ? text : `${text} ${currencyCode}`;
};

/** What came of each entry, as a sheet. */
export function reportOf({ changes, refused }: EntryJob, outcomes: ReadonlyMap<number, Outcome>): string {
  const rows = changes.map(({ entryId, name, cells }) => {
    const outcome = outcomes.get(entryId);
    return [
      entryId,
      name,
      outcome ? WORDS[outcome.result] : 'not yet',
      outcome?.why ?? '',
      outcome?.requestId ?? '',
      cells.map(({ before }) => plain(before)).join(' | '),
      cells.map(({ after }) => plain(after)).join(' | '),
    ];
  });
  const left = refused.map(({ entryId, name, why }) => [entryId, name, 'left out', why, '', '', '']);
  return toCsv([HEAD, ...rows, ...left]);
}

/** The entries that are left alone, with the reasons, as a sheet. */
export const refusedFile = (refused: readonly Refusal[]): string =>
  toCsv([LEFT_HEAD, ...refused.map(({ entryId, name, why }) => [entryId, name, why])]);

/** What can be fetched of a job that stands still: its report, what failed, its way back. */
export function filesOf(job: EntryJob, outcomes: ReadonlyMap<number, Outcome>): () => readonly JobAction[] {
  const slug = `edit-${job.typeName.toLowerCase()}-${job.at.slice(0, 10)}`;
  return () => {
    const of = (wanted: readonly Outcome['result'][]) =>
      job.changes.filter(({ entryId }) => wanted.includes(outcomes.get(entryId)?.result ?? 'already'));
    const bad = of(['failed', 'conflict']).map(({ entryId, name }) => ({
      entryId,
      name,
      why: outcomes.get(entryId)?.why ?? '',
    }));
    const done = of(['done']);
    const back = { typeId: job.typeId, scope: { ids: done.map(({ entryId }) => entryId) } };
    return [
      { label: 'Report', onSelect: () => saveFile(`${slug}.csv`, reportOf(job, outcomes)) },
      ...(bad.length > 0
        ? [{ label: 'Failed entries', onSelect: () => saveFile(`failed-${slug}.csv`, refusedFile(bad)) }]
        : []),
      ...(done.length > 0
        ? [
            { label: 'Undo', onSelect: () => openEntryBulk({ ...back, edit: inverse(done) }) },
            {
              label: 'Save undo file',
              onSelect: () => saveFile(`undo-${slug}.json`, undoFile(job, done), 'application/json'),
            },
          ]
        : []),
    ];
  };
}
