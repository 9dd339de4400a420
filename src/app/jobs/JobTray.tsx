import { CircleAlert, CircleCheck, CircleSlash, X } from 'lucide-react';
import { Button } from '../../ui/button/Button.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { MenuButton } from '../../ui/menu/MenuButton.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { clearEndedJobs, hasEnded } from './jobs.ts';
import type { Job } from './jobs.ts';
import './job-tray.css';

const JOB_ICONS = { running: Spinner, done: CircleCheck, failed: CircleAlert, stopped: CircleSlash };
const JOB_STATES = { running: 'Running', done: 'Done', failed: 'Failed', stopped: 'Stopped' };

/** Tray with the jobs of this tab, on every page. */
export default function JobTray({ jobs }: { jobs: readonly Job[] }) {
  return (
    <section className="jobs" aria-label="Jobs">
      <header className="jobs-head">
        <h2>{formatTrayHeading(jobs)}</h2>
        {jobs.some(hasEnded) && (
          <IconButton label="Clear ended jobs" icon={X} size="small" onClick={() => void clearEndedJobs()} />
        )}
      </header>
      <ul className="jobs-list">
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
    </section>
  );
}

function formatTrayHeading(jobs: readonly Job[]): string {
  const running = jobs.filter(({ state }) => state === 'running').length;
  if (running > 0) return `${running} running`;
  return jobs.every(hasEnded) ? 'Jobs done' : 'Jobs stopped';
}

// A phone has space for two buttons; with more actions, the first is a button and a menu holds the others.
const MAX_ACTIONS_IN_ROW = 2;

function JobRow({ job: { title, state, progress, result, actions = [] } }: { job: Job }) {
  const Mark = JOB_ICONS[state];
  const inRow = actions.length > MAX_ACTIONS_IN_ROW ? actions.slice(0, 1) : actions;
  const inMenu = actions.slice(inRow.length);
  return (
    <li className="job" data-state={state}>
      <Mark />
      <div className="job-text">
        <strong>{title}</strong>
        {state === 'running' && <progress value={progress} max={1} aria-label={title} />}
        <p className="num">{result ?? JOB_STATES[state]}</p>
      </div>
      {inRow.map(({ label, onSelect }) => (
        <Button key={label} size="small" onClick={onSelect}>
          {label}
        </Button>
      ))}
      {inMenu.length > 0 && <MenuButton label={`More about ${title}`} items={inMenu} size="small" />}
    </li>
  );
}
