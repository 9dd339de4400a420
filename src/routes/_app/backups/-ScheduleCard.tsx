import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { getBackupSettingsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { BackupSettings } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { backupsQuery, isBeingMade } from '../../../backups/list.ts';
import { distance } from '../../../lib/ends.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { readerZone } from '../activity/-zone.ts';
import { StateBadge, Verified } from './-State.tsx';
import { clockWords, nextAt, ruleWords } from './-schedule-words.ts';
import './-backups.css';

/** The schedule in one line, with the way to change it. */
export function ScheduleCard() {
  const { data, error, refetch, isFetching } = useQuery(getBackupSettingsOptions());
  return (
    <section className="card backup-schedule" aria-label="Schedule">
      <CalendarClock />
      <div className="backup-schedule-text">
        {data && <Words settings={data} />}
        {data?.isDaily && <Last />}
        {!data && error && <span>The schedule was not read: {toServiceError(error).message}.</span>}
        {!data && !error && <Skeleton width="320px" />}
      </div>
      {!data && error ? (
        <Button size="small" pending={isFetching} onClick={() => void refetch()}>
          Try again
        </Button>
      ) : (
        <Link
          to="/backups/schedule"
          search={(now) => now}
          className={buttonClass({ size: 'small' })}
          aria-label="Change the schedule"
        >
          Change
        </Link>
      )}
    </section>
  );
}

/** How it went the last time: whether there is a file, and whether it was proved. */
function Last() {
  const { data: all } = useQuery(backupsQuery);
  const last = all?.find((one) => one.isScheduled && !isBeingMade(one));
  if (!last) return null;
  return (
    <span className="backup-last">
      <Link to="/backups/$fileName" params={{ fileName: last.fileName }}>
        The last one
      </Link>
      <StateBadge backup={last} />
      {last.verified && <Verified verified={last.verified} />}
    </span>
  );
}

function Words({ settings }: { settings: BackupSettings }) {
  const { timeZone } = useSession().site;
  const { isDaily, hour } = settings;
  if (!isDaily)
    return (
      <>
        <strong>No schedule.</strong> A backup is made only when somebody asks for one.
      </>
    );
  return (
    <>
      <strong>Every day at {clockWords(hour, timeZone, readerZone())}</strong>{' '}
      <span className="person-soft">
        {ruleWords(settings)} · next {distance(new Date(nextAt(hour, timeZone)))}
      </span>
    </>
  );
}
