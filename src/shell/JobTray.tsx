import { CircleAlert, CircleCheck, CircleSlash, X } from 'lucide-react';
import { Button } from '../ui/button/Button.tsx';
import { IconButton } from '../ui/button/IconButton.tsx';
import { Spinner } from '../ui/feedback/Spinner.tsx';
import { MenuButton } from '../ui/menu/MenuButton.tsx';
import { clearEndedJobs, hasEnded, useJobs } from './jobs.ts';
import type { Job } from './jobs.ts';
import './job-tray.css';

const MARKS = { running: Spinner, done: CircleCheck, failed: CircleAlert, stopped: CircleSlash };
const WORDS = { running: 'Running', done: 'Done', failed: 'Failed', stopped: 'Stopped' };

/** The long work of this tab, wherever the person goes meanwhile. Nothing is shown without work. */
export function JobTray() {
  const jobs = useJobs();
  if (jobs.length === 0) return null;
  return (
    <section className="jobs" aria-label="Jobs">
      <header className="jobs-head">
        <h2>{headingOf(jobs)}</h2>
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

function headingOf(jobs: readonly Job[]): string {
  const running = jobs.filter(({ state }) => state === 'running').length;
  if (running > 0) return `${running} running`;
  return jobs.every(hasEnded) ? 'Jobs done' : 'Jobs stopped';
}

// Two stand in the row, as a phone has room for; with more, the first does and a menu holds the rest.
const IN_ROW = 2;

function JobRow({ job: { title, state, progress, result, actions = [] } }: { job: Job }) {
  const Mark = MARKS[state];
  const inRow = actions.length > IN_ROW ? actions.slice(0, 1) : actions;
  const inMenu = actions.slice(inRow.length);
  return (
    <li className="job" data-state={state}>
      <Mark />
      <div className="job-text">
        <strong>{title}</strong>
        {state === 'running' && <progress value={progress} max={1} aria-label={title} />}
        <p className="num">{result ?? WORDS[state]}</p>
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
