import { releaseJob } from '../../app/jobs/lock.ts';
import { count, counted } from '../../lib/numbers.ts';
import { reportJob } from '../../app/jobs/jobs.ts';
import type { Job } from '../../app/jobs/jobs.ts';
import { dropImport } from './keep.ts';
import { saveFailed, saveReport } from './report.ts';
import { leaveImport } from './run.ts';
import type { ImportRun } from './run.ts';
import { tally } from './tally.ts';

const ignore = () => undefined;

// A reload must not bring back what was given up.
async function forget(id: string): Promise<void> {
  await dropImport(id).catch(ignore);
  releaseJob(id);
}

/** Forgets an import that has ended, and its rows. */
export function closeImport(run: ImportRun): void {
  if (run.state === 'running') return;
  void forget(run.id);
  leaveImport(run.about.place);
  // Given up, it can neither go on nor give its failed rows; what came of it is still known.
  reportJob({ ...tell(run), actions: [reportOf(run)] });
}

const reportOf = (run: ImportRun) => ({ label: 'Report', onSelect: () => saveReport(run) });

/** An import in words, with the buttons that fit its state. */
function tell(run: ImportRun): Job {
  const { id, state, rows, trouble } = run;
  const { partly, failed, unsure, through } = tally(run);
  const parts = [
    `${state === 'stopped' && trouble === undefined ? 'Paused at ' : ''}${count(through)} of ${count(rows.length)}`,
    ...(partly > 0 ? [`${count(partly)} in part`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(unsure > 0 ? [`${count(unsure)} sent without an answer`] : []),
  ];
  const report = reportOf(run);
  const again = { label: 'Failed rows', onSelect: () => saveFailed(run) };
  const actions = {
    running: [{ label: 'Pause', onSelect: run.pause }],
    stopped: [{ label: 'Continue', onSelect: run.goOn }, report],
    done: [report],
    failed: [report, again],
  };
  return {
    id,
    title: `Import ${counted(rows.length, ...run.about.words)}`,
    state,
    progress: through / rows.length,
    result: `${parts.join(', ')}${trouble === undefined ? '' : `: ${trouble}`}`,
    actions: actions[state],
    onClear: () => forget(id),
  };
}

export const showInTray = (run: ImportRun): void => reportJob(tell(run));
