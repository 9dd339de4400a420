import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { usePermission } from '../../../api/session.ts';
import { HomeCard, StatusRow } from './HomeCard.tsx';
import type { Home } from './use-home.ts';

/** Checklist of a new site; disappears when it is done. */
export function FirstSteps({ home, people }: { home: Home; people: number | undefined }) {
  const { may, types, facts, backups } = home;
  const createUser = usePermission('createUser').allowed;
  const createType = usePermission('createEntryType').allowed;
  const entries = types.data?.reduce((sum, { entryCount }) => sum + (entryCount ?? 0), 0);
  const steps = [
    createUser &&
      people !== undefined && {
        isDone: people > 1,
        text: 'Add the people who will work here',
        link: <Link to="/users/new">New user</Link>,
      },
    createType &&
      types.data !== undefined && {
        isDone: types.data.length > 0,
        text: 'Define what you keep records of',
        link: (
          <Link to="/entries" search={{}}>
            Entry types
          </Link>
        ),
      },
    createType &&
      entries !== undefined && {
        isDone: entries > 0,
        text: 'Create or import the first entries',
        link: (
          <Link to="/entries" search={{}}>
            Entries
          </Link>
        ),
      },
    may.backups &&
      backups.data !== undefined &&
      facts.isDailyBackup !== undefined && {
        isDone: facts.isDailyBackup || backups.data.data.length > 0,
        text: 'Schedule a daily backup',
        link: <Link to="/backups/schedule">Backup schedule</Link>,
      },
  ].filter((step) => step !== false);
  const isNew = people === 1 || types.data?.length === 0;
  if (!isNew || steps.every(({ isDone }) => isDone)) return null;
  return (
    <HomeCard title="First steps">
      <ul className="home-rows">
        {steps.map(({ isDone, text, link }) => (
          <li key={text}>
            <StatusRow
              tone={isDone ? 'ok' : undefined}
              icon={CircleCheck}
              title={
                <>
                  {text}
                  {isDone && <span className="visually-hidden">, done</span>}
                </>
              }
              action={isDone ? <span className="home-quiet">Done</span> : link}
            />
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}
