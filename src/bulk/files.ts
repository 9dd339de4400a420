import { saveFile } from '../lib/save-file.ts';
import type { JobAction } from '../shell/jobs.ts';
import type { BulkJob } from './keep.ts';
import type { Outcome } from './outcome.ts';
import { reportOf } from './report.ts';
import { bulkRequest } from './request.ts';
import { undoFile, undoOf } from './undo-file.ts';

/** What can be fetched of a job that stands still: its report, its way back, and another try for whom it left alone. */
export function filesOf(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): () => readonly JobAction[] {
  const slug = `${job.action.kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${job.at.slice(0, 10)}`;
  return () => {
    const undo = undoOf(job, outcomes);
    const left = [...outcomes.values()].filter(({ result }) => result === 'conflict' || result === 'failed');
    const again = { action: job.action, userIds: left.map(({ userId }) => userId) };
    return [
      { label: 'Report', onSelect: () => saveFile(`${slug}.csv`, reportOf(job, outcomes)) },
      ...(left.length > 0 ? [{ label: 'Review the rest', onSelect: () => bulkRequest.set(again) }] : []),
      ...(undo
        ? [
            { label: 'Undo', onSelect: () => bulkRequest.set(undo) },
            {
              label: 'Save undo file',
              onSelect: () => saveFile(`undo-${slug}.json`, undoFile(job, undo), 'application/json'),
            },
          ]
        : []),
    ];
  };
}
