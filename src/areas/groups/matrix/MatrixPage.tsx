import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { UsersRound, ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { useDirectory, useFound } from '../../../directory/directory.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useTyping } from '../../../ui/table/use-typing.ts';
import { columnsOf, partOf, peopleQuery, readMatrixView, writeMatrixView } from './matrix-view.ts';
import type { MatrixView, ColumnPart } from './matrix-view.ts';
import { MatrixGrid } from './MatrixGrid.tsx';
import { NewGroupLink } from '../pages/NewGroupLink.tsx';
import { countOf } from './pending.ts';
import { ReviewPanel } from './ReviewPanel.tsx';
import { SetExactly } from '../pages/SetExactly.tsx';
import { usePending } from './use-pending.ts';
import { useAllowed } from '../../../api/session.ts';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import type { Pending } from './pending.ts';
import { useCommit } from './use-commit.ts';
import { atEnd } from '../../../ui/at-end.ts';
import type { Counts } from '../../../directory/facets.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { Freshness } from '../pages/Freshness.tsx';

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

interface MatrixFooterProps {
  pending: Pending;
  /** Whether all that is pending was sent. */
  sent: boolean;
  /** How many changes ended with a group that was deleted. */
  givenUp: number;
  onSent: () => void;
  onDiscard: () => void;
  onReview: () => void;
  /** How many people are read while not all are. */
  partial: number | undefined;
}

/** What is pending in numbers, and the ways to end it. */
function MatrixFooter({ pending, sent, givenUp, onSent, onDiscard, onReview, partial }: MatrixFooterProps) {
  const { reason } = useAllowed('assignGroups');
  const commit = useCommit(pending, onSent);
  const changes = countOf(pending);
  if (changes === 0) {
    return (
      <footer className="tbl-footer">
        <span>
          {reason === undefined
            ? 'Click a cell, or press Space on it, to add or remove. Nothing is sent until you save.'
            : `You can look, but not change: ${reason.toLowerCase().replace('manage groups', 'Manage Groups')}.`}
        </span>
        <GivenUp changes={givenUp} />
        {partial !== undefined && <span>{count(partial)} people are read so far.</span>}
      </footer>
    );
  }
  const words = counted(changes, 'change', 'changes');
  return (
    <footer className="tbl-footer">
      <output className="matrix-count">
        {words} for {counted(pending.size, 'person', 'people')},{' '}
        {sent ? 'sent and not there yet: see Jobs for what came of them' : 'not saved'}
      </output>
      <GivenUp changes={givenUp} />
      <span ref={atEnd} className="matrix-acts">
        <Button onClick={() => void confirmDiscard().then((agreed) => agreed && onDiscard())}>Discard</Button>
        <Button onClick={onReview}>Review</Button>
        <Button variant="primary" disabledReason={commit.reason} onClick={commit.open}>
          {sent ? 'Try again' : `Save ${words}`}
        </Button>
      </span>
    </footer>
  );
}

function GivenUp({ changes }: { changes: number }) {
  if (changes === 0) return null;
  return (
    <output>
      {counted(changes, 'change was', 'changes were')} given up: the group was deleted meanwhile
    </output>
  );
}

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];

interface MatrixBarProps {
  view: MatrixView;
  show: (view: MatrixView) => void;
  type: (q: string) => void;
  settle: () => void;
  groups: readonly GroupInfoResponse[];
  counts: Counts | undefined;
  inView: ColumnPart;
}

/** Which people stand as rows, and which groups as columns. */
function MatrixBar({ view, show, type, settle, groups, counts, inView }: MatrixBarProps) {
  const options = (number: (group: GroupInfoResponse) => number | undefined) =>
    groups.map((group) => ({ value: String(group.id), label: group.name, count: number(group) }));
  return (
    <div className="matrix-bar">
      <TableBar tools={<Freshness />}>
        <SearchField
          label="Search people"
          placeholder="Name, e-mail, id:"
          value={view.q}
          onChange={type}
          onLeave={settle}
        />
        <FilterChip
          label="Status"
          options={STATUSES.map((option) => ({ ...option, count: counts?.status[option.value] ?? 0 }))}
          value={view.status}
          onChange={(status) => show({ ...view, status })}
        />
        <FilterChip
          label="Member of"
          options={options(({ id }) => counts?.group[String(id)] ?? 0)}
          value={view.member.map(String)}
          onChange={(member) => show({ ...view, member: member.map(Number) })}
        />
        <FilterChip
          label="Columns"
          options={options(({ userCount }) => userCount)}
          value={view.columns.map(String)}
          onChange={(columns) => show({ ...view, columns: columns.map(Number), part: 1 })}
        />
        {inView.parts > 1 && <Turning inView={inView} onShow={(part) => show({ ...view, part })} />}
      </TableBar>
    </div>
  );
}

interface TurningProps {
  inView: ColumnPart;
  onShow: (part: number) => void;
}

/** Turns through more columns than stand side by side; what is pending in those out of view stays. */
function Turning({ inView: { part, parts, first, last, of }, onShow }: TurningProps) {
  return (
    <div className="matrix-parts">
      <IconButton
        label="Columns before"
        icon={ChevronLeft}
        size="small"
        disabledReason={part === 1 ? 'These are the first' : undefined}
        onClick={() => onShow(part - 1)}
      />
      <output>
        Columns {count(first)}–{count(last)} of {count(of)}
      </output>
      <IconButton
        label="Columns after"
        icon={ChevronRight}
        size="small"
        disabledReason={part === parts ? 'These are the last' : undefined}
        onClick={() => onShow(part + 1)}
      />
    </div>
  );
}
