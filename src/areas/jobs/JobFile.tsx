import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { useSession } from '../../api/session.ts';
import { formatExactDate } from '../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card, CardBody } from '../../ui/layout/Card.tsx';
import { getSaveRefusal } from './model/file-access.ts';
import { getBackupName } from './model/links.ts';
import { saveJobFile } from './model/save-job-file.ts';

/** The file of a job with a button to save it, or why there is none. */
export function JobFile({ job }: { job: Job }) {
  return (
    <Card title="File">
      <CardBody>
        <FileText job={job} />
        <SaveJobFileButton job={job} />
      </CardBody>
    </Card>
  );
}

function FileText({ job }: { job: Job }) {
  const { file, state } = job;
  const backup = getBackupName(job);
  if (backup !== undefined)
    return (
      <Link to="/backups/$fileName" params={{ fileName: backup }}>
        {backup}
      </Link>
    );
  if (!file)
    return (
      <p className="field-hint">
        {state === 'cancelled' || state === 'stopped' ? 'No file was created.' : 'The file is being created.'}
      </p>
    );
  const { name, rows, size, expiresDate, isRemoved } = file;
  return (
    <p>
      <b>{name}</b> · {pluralize(rows, 'row', 'rows')} · {formatNumber(size)} bytes ·{' '}
      {isRemoved ? 'removed after 7 days' : `kept until ${formatExactDate(expiresDate)}`}
    </p>
  );
}

interface SaveButtonProps {
  job: Job;
  tabIndex?: 0 | -1;
  isSmall?: boolean;
}

/** Button that saves the file of a job; nothing for a job without one. */
export function SaveJobFileButton({ job, tabIndex, isSmall = false }: SaveButtonProps) {
  const session = useSession();
  const { file } = job;
  if (!file) return null;
  const unavailable = file.isRemoved ? 'The file is no longer stored' : undefined;
  return (
    <Button
      icon={Download}
      {...(isSmall && { size: 'small' as const })}
      {...(tabIndex !== undefined && { tabIndex })}
      disabledReason={getSaveRefusal(session, job) ?? unavailable}
      aria-label={`Save ${file.name}`}
      onClick={() => void saveJobFile(job)}
    >
      Save
    </Button>
  );
}
