import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { useDirectory, useFound } from '../../../directory/directory.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useTyping } from '../-typing.ts';
import { columnsOf, partOf, peopleQuery, readMatrixView, writeMatrixView } from './-matrix-view.ts';
import type { MatrixView } from './-matrix-view.ts';
import { MatrixBar } from './-MatrixBar.tsx';
import { MatrixFooter } from './-MatrixFooter.tsx';
import { MatrixGrid } from './-MatrixGrid.tsx';
import { NewGroupLink } from './-NewGroupLink.tsx';
import { countOf } from './-pending.ts';
import { ReviewPanel } from './-ReviewPanel.tsx';
import { SetExactly } from './-SetExactly.tsx';
import { usePending } from './-use-pending.ts';

const route = getRouteApi('/_app/groups/matrix');
const NO_GROUPS: readonly GroupInfoResponse[] = [];

/** People by groups: who is in what, changed cell by cell, sent together. */
export function MatrixPage() {
  const { error, size, complete, refresh, refreshing } = useDirectory();
  const { data: known } = useQuery(groupsQuery);
  const groups = known ?? NO_GROUPS;
  const { view, show, type, settle } = useMatrixView();
  const { q, status, member } = view;
  const asked = [q, status.join(), member.join()].join('\n');
  // The parts of the view are new arrays with each rendering; what they ask for is not.
  // oxlint-disable-next-line react/exhaustive-deps
  const query = useMemo(() => peopleQuery(view), [asked]);
  const found = useFound(query);
  const wanted = view.columns.join();
  // oxlint-disable-next-line react/exhaustive-deps
  const columns = useMemo(() => columnsOf(groups, view.columns), [groups, wanted]);
  const { shown, ...inView } = useMemo(() => partOf(columns, view.part), [columns, view.part]);
  const pending = usePending(known);
  const [exactly, setExactly] = useState<DirectoryRow>();
  const changes = countOf(pending.pending);
  useUnsavedGuard(changes > 0 && !pending.sent);

  if (error?.status === 403 && size === undefined) throw error;
  const clear = () => show({ ...view, q: '', status: [], member: [] });
  return (
    <Page
      fill
      title="Matrix"
      breadcrumbs={<Trail />}
      meta={
        found &&
        `${counted(found.ids.length, 'person', 'people')} · ${count(columns.length)} of ${counted(groups.length, 'group', 'groups')}`
      }
    >
      <MatrixBar {...{ view, show, type, settle, groups, inView }} counts={found?.counts} />
      {groups.length === 0 ? (
        <Card>
          <EmptyState icon={UsersRound} title="There are no groups yet" actions={<NewGroupLink />}>
            Groups give people their capabilities. Here they stand as columns beside the people of the site.
          </EmptyState>
        </Card>
      ) : (
        <section className="tbl-card" aria-label="People by groups">
          {found && found.ids.length > 0 && (
            <MatrixGrid
              rows={found.rows}
              columns={shown}
              pending={pending.pending}
              onChange={pending.change}
              onSetExactly={setExactly}
            />
          )}
          {found?.ids.length === 0 && (
            <EmptyState title="Nobody matches" actions={<Button onClick={clear}>Clear filters</Button>}>
              {changes > 0
                ? 'What is pending stays, whoever is shown.'
                : 'Nobody has everything that is asked for.'}
            </EmptyState>
          )}
          {!found && error && (
            <ErrorState
              title="People could not be loaded"
              onRetry={refresh}
              retrying={refreshing}
              requestId={error.requestId}
            >
              {error.message}
            </ErrorState>
          )}
          {!found && !error && <SkeletonRows rows={12} />}
          <MatrixFooter
            pending={pending.pending}
            sent={pending.sent}
            givenUp={pending.givenUp}
            onSent={pending.markSent}
            onDiscard={() => pending.change(() => new Map())}
            onReview={() => show({ ...view, review: true })}
            partial={complete ? undefined : size}
          />
        </section>
      )}
      {view.review && (
        <ReviewPanel
          groups={groups}
          pending={pending.pending}
          people={pending.people}
          onChange={pending.change}
          onSent={pending.markSent}
          onClose={() => show({ ...view, review: false })}
        />
      )}
      {exactly && (
        <SetExactly
          person={exactly}
          groups={groups}
          pending={pending.pending}
          onChange={pending.change}
          onClose={() => setExactly(undefined)}
        />
      )}
    </Page>
  );
}

function useMatrixView() {
  const said = readMatrixView(route.useSearch());
  const navigate = route.useNavigate();
  const write = (view: MatrixView, replace: boolean) =>
    navigate({ to: '.', search: writeMatrixView(view), replace });
  const { q, type, settle } = useTyping(said.q, (typed) => write({ ...said, q: typed }, true));
  return { view: { ...said, q }, show: (next: MatrixView) => void write(next, false), type, settle };
}
