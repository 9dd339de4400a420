import { getRouteApi, Link } from '@tanstack/react-router';
import { useAllowed } from '../../../api/session.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ChangesOfUser } from './-ChangesOfUser.tsx';
import { RowsOfUser } from './-RowsOfUser.tsx';
import { WHOLE_VIEW, writeView } from './-view.ts';
import type { ActivityView } from './-view.ts';
import './-user-activity.css';

const route = getRouteApi('/_app/users/$userId/activity');

const SIDES = [
  { value: 'by', label: 'By them' },
  { value: 'to', label: 'To them' },
  { value: 'proxy', label: 'As their proxy' },
] as const;
export type Side = (typeof SIDES)[number]['value'];

const WORDS: Readonly<Record<Side, string>> = {
  by: 'What this person did in the last 90 days, for themselves or for somebody else.',
  to: 'What was changed on this person, by whom, with its values before and after.',
  proxy: 'What proxies did for this person in the last 90 days.',
};

/** What somebody did, what was done to them, and what was done in their name. */
export function UserActivityTab() {
  const { userId } = route.useParams();
  const { view: side = 'by' } = route.useSearch();
  const navigate = route.useNavigate();
  const { allowed, reason } = useAllowed('queryUserActivity');
  if (!allowed) return <Banner title="You may not see activity">{reason}.</Banner>;
  const view: ActivityView = {
    ...WHOLE_VIEW,
    ...(side === 'proxy' ? { principals: [userId] } : { people: [userId] }),
  };
  return (
    <div className="user-act">
      <header className="user-act-head">
        <Choice
          label="Which activity"
          options={SIDES}
          value={side}
          onChange={(next) =>
            void navigate({ search: next === 'by' ? {} : { view: next }, resetScroll: false })
          }
        />
        <p>{WORDS[side]}</p>
        {side !== 'to' && (
          <Link to="/activity" search={writeView(view)}>
            Open in the full report
          </Link>
        )}
      </header>
      {side === 'to' ? <ChangesOfUser userId={userId} /> : <RowsOfUser key={side} {...{ side, view }} />}
    </div>
  );
}
