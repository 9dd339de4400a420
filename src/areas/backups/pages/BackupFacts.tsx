import type { ReactNode } from 'react';
import { formatNumber } from '../../../lib/numbers.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { getSaveMethod } from '../download/save-target.ts';
import type { SaveMethod } from '../download/save-target.ts';
import type { Backup } from '../model/backups.ts';
import { formatRequester } from '../model/format.ts';
import { formatDuration, formatSize } from '../model/units.ts';
import { VerificationBadge } from './BackupState.tsx';

const SAVE_METHOD_TEXTS: Record<SaveMethod, string> = {
  file: 'The file is written to the location you choose and checked while it downloads.',
  stored: 'The browser stores the file first, checks it, and then saves it.',
  browser:
    'The browser downloads the file itself: the download cannot be paused or checked here. Over HTTPS it can.',
};

/** Overview of a backup: its properties, its hash and verification, and how downloads work. */
export function BackupFacts({ backup }: { backup: Backup }) {
  return (
    <div className="backup-facts">
      <div className="backup-facts-side">
        <Card title="Details">
          <Facts>
            <Fact label="Requested">
              {formatRequester(backup)}
              <DatePart at={backup.createdDate}> · </DatePart>
            </Fact>
            <Fact label="Created">
              <CreationTime backup={backup} />
            </Fact>
            <Fact label="Entry types">
              <EntryTypes backup={backup} />
            </Fact>
            <Fact label="Files of entries">{backup.includesFiles ? 'Included' : 'Not included'}</Fact>
            {typeof backup.schemaVersion === 'number' && (
              <Fact label="Schema version">{formatNumber(backup.schemaVersion)}</Fact>
            )}
          </Facts>
        </Card>
        <Card title="Download">
          <CardBody>
            <div className="backup-download-notes">
              <p>{SAVE_METHOD_TEXTS[getSaveMethod()]}</p>
              <p>
                A download link is valid for 5 minutes and only for the IP address that requested it. It is
                requested when you start the download. If your address changes, the download continues with a
                new link.
              </p>
              <p>Each download is recorded with user, time and IP address.</p>
            </div>
          </CardBody>
        </Card>
      </div>
      <Card title="Integrity">
        <Facts>
          <Fact label="Size">
            {typeof backup.size === 'number'
              ? `${formatSize(backup.size)} (${formatNumber(backup.size)} bytes)`
              : '—'}
          </Fact>
          <Fact label="SHA-256">
            {backup.sha256 ? (
              <>
                <code className="backup-sha">{backup.sha256}</code>
                <CopyButton value={backup.sha256} label="Copy SHA-256" />
              </>
            ) : (
              '—'
            )}
          </Fact>
          <Fact label="Verified">
            {backup.verified ? <VerificationBadge verified={backup.verified} /> : 'Not yet'}
            <DatePart at={backup.verified?.date}> </DatePart>
            {backup.verified?.message && <p className="backup-differs">{backup.verified.message}</p>}
          </Fact>
        </Facts>
      </Card>
    </div>
  );
}

function DatePart({ at, children }: { at: string | null | undefined; children: ReactNode }) {
  return at ? (
    <>
      {children}
      <Timestamp at={at} />
    </>
  ) : null;
}

function CreationTime({ backup: { startedDate, finishedDate } }: { backup: Backup }) {
  if (!startedDate) return 'Not yet';
  if (!finishedDate) return <DatePart at={startedDate}>Since </DatePart>;
  const seconds = (Date.parse(finishedDate) - Date.parse(startedDate)) / 1000;
  return <DatePart at={finishedDate}>In {formatDuration(seconds)} · </DatePart>;
}

const MAX_INLINE_TYPES = 12;

function EntryTypes({ backup: { isWholeSite, entryTypes: names = [] } }: { backup: Backup }) {
  if (names.length === 0) return 'All';
  const all = isWholeSite ? 'All: ' : '';
  if (names.length <= MAX_INLINE_TYPES) return all + names.join(', ');
  return (
    <details>
      <summary>
        {all}
        {formatNumber(names.length)}
      </summary>
      {names.join(', ')}
    </details>
  );
}
