import { ListChecks } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { usePermission } from '../../../api/session.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { getProgress, hasEnded } from '../model/progress.ts';
import { useJobs } from '../model/use-jobs.ts';
import { ProgressRing } from './ProgressRing.tsx';
import './jobs-button.css';

const JobsPopover = lazyWithPreload(() => import('./JobsPopover.tsx'));

/** Button of the job center in the top bar: the number of the caller's open jobs and their progress. */
export function JobsButton() {
  const { allowed } = usePermission('listJobs');
  const jobs = useJobs('own', allowed);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  if (!allowed) return null;
  const open = jobs?.filter((job) => !hasEnded(job)) ?? [];
  const trigger = {
    ref: button,
    'aria-haspopup': 'dialog' as const,
    'aria-expanded': isOpen,
    onPointerEnter: JobsPopover.preload,
    onFocus: JobsPopover.preload,
    onClick: () => setIsOpen(true),
  };
  return (
    <>
      {open.length === 0 ? (
        <IconButton {...trigger} label="Jobs" icon={ListChecks} />
      ) : (
        <Button {...trigger} variant="quiet" aria-label={`Jobs: ${formatNumber(open.length)} not finished`}>
          <span className="jobs-button">
            <ProgressRing share={getProgress(open)} />
            <span className="num">{formatNumber(open.length)}</span>
          </span>
        </Button>
      )}
      <Suspense>{isOpen && <JobsPopover anchor={button} onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
