import { toCsv } from '../../files/csv.ts';
import type { BulkJob } from './keep.ts';
import type { Outcome, Result } from './outcome.ts';
import { inWords } from './words.ts';

const HEAD = ['id', 'name', 'e-mail', 'before', 'after', 'result', 'reason', 'request id'];
const WORDS: Record<Result, string> = {
  done: 'done',
  already: 'was so already',
  conflict: 'changed meanwhile, left alone',
  failed: 'failed',
};

/** What came of each person, as a sheet. */
export function reportOf(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): string {
  const rows = job.changes.map((change) => {
    const { id, name, email } = change.person;
    const { before, after } = inWords(change, job.names);
    const outcome = outcomes.get(id);
    const result = outcome ? WORDS[outcome.result] : 'not yet';
    return [id, name, email, before, after, result, outcome?.why ?? '', outcome?.requestId ?? ''];
  });
  return toCsv([HEAD, ...rows]);
}
