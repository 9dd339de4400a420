import { getRouteApi, useRouter } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { AroundList } from './-AroundList.tsx';
import { DetailFacts } from './-DetailFacts.tsx';
import { readPlace } from './-place.ts';
import { actorOf } from './-row.ts';
import { useDetail } from './-use-detail.ts';
import { readView, writeView } from './-view.ts';
import './-detail.css';

const route = getRouteApi('/_app/activity/_report/$activityId');

/** Everything about one row over the report, and what happened around it. */
export function DetailPanel() {
  const router = useRouter();
  const { activityId } = route.useParams();
  const detail = useDetail(activityId, readPlace(route.useSearch()));
  const { row } = detail;
  const close = () => void router.navigate({ to: '/activity', search: (now) => writeView(readView(now)) });
  return (
    <Panel title={row ? row.activityType : 'Activity row'} onClose={close}>
      <div className="act-detail">
        <Content {...detail} />
      </div>
    </Panel>
  );
}

function Content(detail: ReturnType<typeof useDetail>) {
  const { row, address, ofPerson, ofAddress, pending, error, retry, retrying } = detail;
  if (pending) return <SkeletonRows rows={9} />;
  if (error) {
    return (
      <ErrorState
        title="The row could not be read"
        onRetry={retry}
        retrying={retrying}
        requestId={error.requestId}
      >
        {error.message}.
      </ErrorState>
    );
  }
  if (!row) {
    return (
      <EmptyState icon={SearchX} title="This row is not in the report">
        The report reaches 90 days back, and the link may be older, or not whole.
      </EmptyState>
    );
  }
  return (
    <>
      <DetailFacts row={row} />
      <h3 className="act-around-title">What happened around it</h3>
      <AroundList
        title={actorOf(row)}
        of={row}
        {...ofPerson}
        shows="address"
        view={{ people: [row.userId] }}
      />
      {address !== undefined && (
        <AroundList title={address} of={row} {...ofAddress} shows="person" view={{ address }} />
      )}
    </>
  );
}
