import type { TemplateRun } from '../../../../contract/generated/types.gen.ts';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { RUN_LABELS } from '../model/reports.ts';

interface LastRunProps {
  run: TemplateRun | null | undefined;
  tabIndex: 0 | -1;
}

/** When a report was last generated, and its state unless it is ready. */
export function LastRun({ run, tabIndex }: LastRunProps) {
  if (!run) return 'Never';
  return (
    <span className="rep-last">
      <Timestamp at={run.createdDate} tabIndex={tabIndex} />
      {run.status !== 'Ready' && RUN_LABELS[run.status].label}
    </span>
  );
}
