import { CircleAlert, CircleCheck, CircleSlash, X } from 'lucide-react';
import { Button } from '../ui/button/Button.tsx';
import { IconButton } from '../ui/button/IconButton.tsx';
import { Spinner } from '../ui/feedback/Spinner.tsx';
import { clearEndedJobs, useJobs } from './jobs.ts';
import type { Job } from './jobs.ts';
import './job-tray.css';

const MARKS = { running: Spinner, done: CircleCheck, failed: CircleAlert, stopped: CircleSlash };
const WORDS = { running: 'Running', done: 'Done', failed: 'Failed', stopped: 'Stopped' };

/** The long work of this tab, wherever the person goes meanwhile. Nothing is shown without work. */
export function JobTray() {
  const jobs = useJobs();
  if (jobs.length === 0) return null;
  const running = jobs.filter(({ state }) => state === 'running').length;
  return (
    <section className="jobs" aria-label="Jobs">
      <header className="jobs-head">
        <h2>{running > 0 ? `${running} running` : 'Jobs done'}</h2>
        {running < jobs.length && (
          <IconButton label="Clear ended jobs" icon={X} size="small" onClick={clearEndedJobs} />
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

function JobRow({ job: { title, state, progress, result, actions = [] } }: { job: Job }) {
  const Mark = MARKS[state];
  return (
    <li className="job" data-state={state}>
      <Mark />
      <div className="job-text">
        <strong>{title}</strong>
        {state === 'running' && <progress value={progress} max={1} aria-label={title} />}
        <p className="num">{result ?? WORDS[state]}</p>
      </div>
      {actions.map(({ label, onSelect }) => (
        <Button key={label} size="small" onClick={onSelect}>
          {label}
        </Button>
      ))}
    </li>
  );
}
