import { formatCsv } from '../../../contract/rules/tables/csv.ts';
import type { SessionIdentity } from '../../api/session-state.ts';
import { saveFile } from '../../files/download.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import { createJobStore, lockJob, unlockJob } from './job-store.ts';

/**
 * Jobs that an earlier version ran in the browser and stored for a reload. This version runs jobs in the service and cannot
 * continue them: it offers a report of what they did and deletes them.
 */
interface LegacyJob {
  id: string;
  title: string;
  /** ISO timestamp of the confirmation; empty for imports. */
  confirmedAt: string;
  items: readonly LegacyItem[];
  outcomes: ReadonlyMap<number, LegacyOutcome>;
}

interface LegacyItem {
  /** Id of the user or entry, or row of the file. */
  id: number;
  name: string;
  detail: string;
}

interface LegacyOutcome {
  result: string;
  why?: string | undefined;
  requestId?: string | undefined;
}

/** Reads the stored jobs of one kind. */
interface LegacyKind {
  load: (identity: SessionIdentity) => Promise<LegacyJob[]>;
  delete: (id: string) => Promise<void>;
}

interface StoredFormat<Job, Item, Outcome> {
  toTitle: (job: Job) => Pick<LegacyJob, 'title' | 'confirmedAt'>;
  toItem: (item: Item) => LegacyItem;
  /** Id of the item and its outcome. */
  toOutcome: (outcome: Outcome) => readonly [number, LegacyOutcome];
}

type Stored = { id: string; identity: SessionIdentity };

function defineKind<Job, Item, Outcome>(
  kind: string,
  { toTitle, toItem, toOutcome }: StoredFormat<Job, Item, Outcome>,
): LegacyKind {
  const store = createJobStore<Job & Stored, Item, Outcome>(kind);
  return {
    delete: store.delete,
    async load(identity) {
      const stored = await store.loadAll(identity);
      return stored.map(({ job, items, outcomes }) => ({
        id: job.id,
        ...toTitle(job),
        items: items.map(toItem),
        outcomes: new Map(outcomes.map(toOutcome)),
      }));
    },
  };
}

type TitledJob = Pick<LegacyJob, 'title' | 'confirmedAt'>;

const toTitle = ({ title, confirmedAt }: TitledJob) => ({ title, confirmedAt });

/** Formats of the earlier version by kind. */
const KINDS: readonly LegacyKind[] = [
  defineKind<
    TitledJob,
    { person: { id: number; name: string; email: string } },
    LegacyOutcome & { userId: number }
  >('bulk', {
    toTitle,
    toItem: ({ person: { id, name, email } }) => ({ id, name, detail: email }),
    toOutcome: (outcome) => [outcome.userId, outcome],
  }),
  defineKind<TitledJob, { entryId: number; name: string }, LegacyOutcome & { entryId: number }>('entries', {
    toTitle,
    toItem: ({ entryId, name }) => ({ id: entryId, name, detail: '' }),
    toOutcome: (outcome) => [outcome.entryId, outcome],
  }),
  defineKind<
    { fileName: string },
    { plan: { row: number; name: string; detail: string } },
    { row: number; result?: LegacyOutcome }
  >('import', {
    toTitle: ({ fileName }) => ({ title: `Import ${fileName}`, confirmedAt: '' }),
    toItem: ({ plan: { row, name, detail } }) => ({ id: row, name, detail }),
    // A row without a result was being sent when the page closed.
    toOutcome: ({ row, result }) => [row, result ?? { result: 'no answer' }],
  }),
];

const REPORT_HEADER = ['Job', 'Started', 'Id or row', 'Name', 'Detail', 'Result', 'Reason', 'Request id'];
const RESULT_LABELS: Readonly<Record<string, string>> = {
  already: 'already set',
  conflict: 'skipped: changed in the meantime',
  partly: 'in part',
};

/** CSV report with one line per item of all jobs. */
function formatReport(jobs: readonly LegacyJob[]): string {
  const rows = jobs.flatMap(({ title, confirmedAt, items, outcomes }) =>
    items.map(({ id, name, detail }) => {
      const { result = 'not started', why = '', requestId = '' } = outcomes.get(id) ?? {};
      return [title, confirmedAt, id, name, detail, RESULT_LABELS[result] ?? result, why, requestId];
    }),
  );
  return formatCsv([REPORT_HEADER, ...rows]);
}

const formatProgress = ({ title, items, outcomes }: LegacyJob): string =>
  `${title}: ${formatNumber(outcomes.size)} of ${formatNumber(items.length)} processed`;

/** Exports of an earlier version: copies of files that were saved, which the service makes and keeps now. */
const exportStore = createJobStore('export');

/**
 * Offers a report of the jobs that an earlier version has stored in this browser, and deletes them when it was downloaded.
 * A job that this tab or another one has resumed is left alone.
 */
export async function offerLegacyJobReport(
  identity: SessionIdentity,
  save: (name: string, content: string) => void = saveFile,
): Promise<void> {
  for (const { id } of await exportStore.loadJobs(identity)) await exportStore.delete(id);
  const stored: { job: LegacyJob; kind: LegacyKind }[] = [];
  for (const kind of KINDS)
    for (const job of await kind.load(identity)) if (await lockJob(job.id)) stored.push({ job, kind });
  if (stored.length === 0) return;
  const jobs = stored.map(({ job }) => job);
  const isAccepted = await confirm({
    title: 'An update ended unfinished work in this browser',
    body: `Long work now runs in the service, so ${pluralize(jobs.length, 'job', 'jobs')} of the previous version cannot continue here. The report lists what was done and what was not; start what is missing again. ${jobs.map(formatProgress).join('. ')}.`,
    action: 'Download report',
    cancel: 'Later',
  });
  if (isAccepted) {
    save('unfinished-work.csv', formatReport(jobs));
    await Promise.all(stored.map(({ job, kind }) => kind.delete(job.id)));
  }
  for (const { id } of jobs) unlockJob(id);
}
