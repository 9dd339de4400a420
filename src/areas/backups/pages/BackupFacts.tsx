import type { ReactNode } from 'react';
import type { Backup } from '../download/list.ts';
import { wayOfThisBrowser } from '../download/target.ts';
import type { Way } from '../download/target.ts';
import { durationWords, sizeWords } from '../download/units.ts';
import { count } from '../../../lib/numbers.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { Verified } from './State.tsx';
import { askedWords } from '../model/words.ts';

const WAYS: Record<Way, string> = {
  chosen: 'It is written to the place you choose, and checked on the way.',
  kept: 'This browser keeps it in its own room first, checks it, and then saves it.',
  browser:
    'This browser can only save it by itself: it can neither be paused nor checked here. Over https it could.',
};

/** What is known of a backup, and what downloading it means. */
export function BackupFacts({ backup }: { backup: Backup }) {
  return (
    <div className="backup-facts">
      <div className="backup-facts-side">
        <Card title="Facts">
          <Facts>
            <Fact label="Asked for">
              {askedWords(backup)}
              <At at={backup.createdDate}> · </At>
            </Fact>
            <Fact label="Made">
              <Made backup={backup} />
            </Fact>
            <Fact label="Entry types">
              <Types backup={backup} />
            </Fact>
            <Fact label="Files of entries">{backup.includesFiles ? 'Included' : 'Not included'}</Fact>
            {typeof backup.schemaVersion === 'number' && (
              <Fact label="Schema version">{count(backup.schemaVersion)}</Fact>
            )}
          </Facts>
        </Card>
        <Card title="Downloading">
          <CardBody>
            <div className="backup-door">
              <p>{WAYS[wayOfThisBrowser()]}</p>
              <p>
                A link holds for 5 minutes and only for the address from which you ask for it; it is asked for
                when you press the button, and the address is shown while the file comes. From another address
                the service refuses it, and a new link goes on where the old one ended.
              </p>
              <p>Who downloads it, when and from where, is recorded.</p>
            </div>
          </CardBody>
        </Card>
      </div>
      <Card title="Proof">
        <Facts>
          <Fact label="Size">
            {typeof backup.size === 'number'
              ? `${sizeWords(backup.size)} (${count(backup.size)} bytes)`
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
            {backup.verified ? <Verified verified={backup.verified} /> : 'Not yet'}
            <At at={backup.verified?.date}> </At>
            {backup.verified?.message && <p className="backup-differs">{backup.verified.message}</p>}
          </Fact>
        </Facts>
      </Card>
    </div>
  );
}

function At({ at, children }: { at: string | null | undefined; children: ReactNode }) {
  return at ? (
    <>
      {children}
      <Moment at={at} />
    </>
  ) : null;
}

function Made({ backup: { startedDate, finishedDate } }: { backup: Backup }) {
  if (!startedDate) return 'Not yet';
  if (!finishedDate) return <At at={startedDate}>Since </At>;
  const took = (Date.parse(finishedDate) - Date.parse(startedDate)) / 1000;
  return <At at={finishedDate}>In {durationWords(took)} · </At>;
}

const AT_ONCE = 12;

function Types({ backup: { isWholeSite, entryTypes: names = [] } }: { backup: Backup }) {
  if (names.length === 0) return 'All of the site';
  const all = isWholeSite ? 'All of the site: ' : '';
  if (names.length <= AT_ONCE) return all + names.join(', ');
  return (
    <details>
      <summary>
        {all}
        {count(names.length)}
      </summary>
      {names.join(', ')}
    </details>
  );
}
