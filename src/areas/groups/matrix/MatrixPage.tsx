import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { UsersRound, ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo, useState, useId } from 'react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useDirectory, useDirectorySearch } from '../../../directory/directory.ts';
import type { FacetCounts } from '../../../directory/engine/directory-query.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { keepFocus } from '../../../ui/keep-focus.ts';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { NewGroupLink, DirectoryAsOf } from '../pages/page-parts.tsx';
import { PeopleError } from '../PeopleError.tsx';
import {
  selectColumns,
  getColumnPart,
  createPeopleQuery,
  parseMatrixView,
  serializeMatrixView,
} from './matrix-view.ts';
import type { MatrixView, ColumnPart } from './matrix-view.ts';
import { MatrixGrid } from './MatrixGrid.tsx';
import { countChanges, getGroupsAfter, NOTHING_PENDING, toPairs, stageExactGroups } from './pending.ts';
import type { PendingChanges } from './pending.ts';
import { ReviewPanel } from './ReviewPanel.tsx';
import { usePendingChanges, useSavePending, useColumnReasons } from './use-pending.ts';

const route = getRouteApi('/_app/groups/matrix');
const NO_GROUPS: readonly GroupInfoResponse[] = [];

/** Matrix of users and groups: memberships are staged by cell and saved together. */
export function MatrixPage() {
  const { error, size, complete, refresh, refreshing } = useDirectory();
  const { data: existing } = useQuery(groupsQuery);
  const groups = existing ?? NO_GROUPS;
  const { view, show, type, settle } = useMatrixView();
  const { q, status, member } = view;
  const deferred = [q, status.join(), member.join()].join('\n');
  // The parts of the view are new arrays with each rendering; what they ask for is not.
  // oxlint-disable-next-line react/exhaustive-deps
  const query = useMemo(() => createPeopleQuery(view), [deferred]);
  const found = useDirectorySearch(query);
  const isMember = view.columns.join();
  // oxlint-disable-next-line react/exhaustive-deps
  const columns = useMemo(() => selectColumns(groups, view.columns), [groups, isMember]);
  const { shown, ...inView } = useMemo(() => getColumnPart(columns, view.part), [columns, view.part]);
  const pending = usePendingChanges(existing);
  const [exactly, setExactly] = useState<DirectoryRow>();
  const changes = countChanges(pending.pending);
  useUnsavedGuard(changes > 0 && !pending.sent);

  if (error?.status === 403 && size === undefined) throw error;
  const clear = () => show({ ...view, q: '', status: [], member: [] });
  return (
    <Page
      fill
      title="Matrix"
      breadcrumbs={<Breadcrumbs />}
      meta={
        found &&
        `${pluralize(found.ids.length, 'person', 'people')} · ${formatNumber(columns.length)} of ${pluralize(groups.length, 'group', 'groups')}`
      }
    >
      <MatrixBar {...{ view, show, type, settle, groups, inView }} counts={found?.counts} />
      {groups.length === 0 ? (
        <Card>
          <EmptyState icon={UsersRound} title="No groups yet" actions={<NewGroupLink />}>
            Groups grant capabilities. The matrix shows them as columns next to the people of the site.
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
            <EmptyState
              title="Nobody matches"
              actions={
                <Button ref={keepFocus} onClick={clear}>
                  Clear filters
                </Button>
              }
            >
              {changes > 0 ? 'Pending changes are kept.' : 'Nobody matches all filters.'}
            </EmptyState>
          )}
          {!found && error && <PeopleError {...{ error, refresh, refreshing }} />}
          {!found && !error && <SkeletonRows rows={12} />}
          <MatrixFooter
            pending={pending.pending}
            isSent={pending.sent}
            discardedCount={pending.givenUp}
            onSent={pending.markSent}
            onDiscard={() => pending.change(() => new Map())}
            onReview={() => show({ ...view, review: true })}
            loadedCount={complete ? undefined : size}
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
        <SetExactlyDialog
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
  const urlView = parseMatrixView(route.useSearch());
  const navigate = route.useNavigate();
  const write = (view: MatrixView, replace: boolean) =>
    navigate({ to: '.', search: serializeMatrixView(view), replace });
  const { q, type, settle } = useDebouncedSearch(urlView.q, (typed) => write({ ...urlView, q: typed }, true));
  return { view: { ...urlView, q }, show: (next: MatrixView) => void write(next, false), type, settle };
}

interface MatrixFooterProps {
  pending: PendingChanges;
  /** Whether all pending changes were sent. */
  isSent: boolean;
  /** Number of changes discarded because their group was deleted. */
  discardedCount: number;
  onSent: () => void;
  onDiscard: () => void;
  onReview: () => void;
  /** Number of users loaded so far; undefined when complete. */
  loadedCount: number | undefined;
}

/** Number of pending changes, with save, review and discard. */
function MatrixFooter({
  pending,
  isSent: sent,
  discardedCount: givenUp,
  onSent,
  onDiscard,
  onReview,
  loadedCount: partial,
}: MatrixFooterProps) {
  const { reason } = usePermission('assignGroups');
  const commit = useSavePending(pending, onSent);
  const changes = countChanges(pending);
  if (changes === 0) {
    return (
      <footer className="tbl-footer">
        <span>
          {reason === undefined
            ? 'Click a cell, or press Space on it, to add or remove. Nothing is sent until you save.'
            : `You can view but not change this: ${reason.toLowerCase().replace('manage groups', 'Manage Groups')}.`}
        </span>
        <DiscardedNotice changes={givenUp} />
        {partial !== undefined && <span>{formatNumber(partial)} people loaded so far.</span>}
      </footer>
    );
  }
  const words = pluralize(changes, 'change', 'changes');
  return (
    <footer className="tbl-footer">
      <output className="matrix-count">
        {words} for {pluralize(pending.size, 'person', 'people')},{' '}
        {sent ? 'sent but not completed: see Jobs for the results' : 'not saved'}
      </output>
      <DiscardedNotice changes={givenUp} />
      <span className="matrix-acts">
        <Button onClick={() => void confirmDiscard().then((isConfirmed) => isConfirmed && onDiscard())}>
          Discard
        </Button>
        <Button onClick={onReview}>Review</Button>
        <Button variant="primary" disabledReason={commit.reason} onClick={commit.open}>
          {sent ? 'Try again' : `Save ${words}`}
        </Button>
      </span>
    </footer>
  );
}

function DiscardedNotice({ changes }: { changes: number }) {
  if (changes === 0) return null;
  return <output>{pluralize(changes, 'change was', 'changes were')} discarded: the group was deleted</output>;
}

const STATUS_OPTIONS = [
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
  counts: FacetCounts | undefined;
  inView: ColumnPart;
}

/** Filters for rows and columns. */
function MatrixBar({ view, show, type, settle, groups, counts, inView }: MatrixBarProps) {
  const options = (number: (group: GroupInfoResponse) => number | undefined) =>
    groups.map((group) => ({ value: String(group.id), label: group.name, count: number(group) }));
  return (
    <div className="matrix-bar">
      <TableBar tools={<DirectoryAsOf />}>
        <SearchField
          label="Search people"
          placeholder="Name, e-mail, id:"
          value={view.q}
          onChange={type}
          onBlur={settle}
        />
        <FilterChip
          label="Status"
          options={STATUS_OPTIONS.map((option) => ({ ...option, count: counts?.status[option.value] ?? 0 }))}
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
        {inView.parts > 1 && <ColumnPager inView={inView} onShow={(part) => show({ ...view, part })} />}
      </TableBar>
    </div>
  );
}

interface ColumnPagerProps {
  inView: ColumnPart;
  onShow: (part: number) => void;
}

/** Pages through the columns; pending changes in hidden columns stay. */
function ColumnPager({ inView: { part, parts, first, last, of }, onShow }: ColumnPagerProps) {
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
        Columns {formatNumber(first)}–{formatNumber(last)} of {formatNumber(of)}
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

interface SetExactlyDialogProps {
  person: DirectoryRow;
  groups: readonly GroupInfoResponse[];
  pending: PendingChanges;
  onChange: (next: (now: PendingChanges) => PendingChanges) => void;
  onClose: () => void;
}

/** Chooses the exact groups of a user and stages the difference. */
function SetExactlyDialog({ person, groups, pending, onChange, onClose }: SetExactlyDialogProps) {
  const id = useId();
  const reasons = useColumnReasons(groups);
  const [isMember, setWanted] = useState(() => getGroupsAfter(person, pending));
  const { add, remove } = toPairs(stageExactGroups(NOTHING_PENDING, person, isMember));
  const changes = add.length + remove.length;
  return (
    <Dialog
      title={`Set the groups of ${person.name} exactly`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            onClick={() => {
              onChange((now) => stageExactGroups(now, person, isMember));
              onClose();
            }}
          >
            {changes === 0 ? 'No changes' : `Stage ${pluralize(changes, 'change', 'changes')}`}
          </Button>
        </>
      }
    >
      <p>
        Choose the groups of {person.name}. The difference is staged in the matrix:{' '}
        {pluralize(add.length, 'addition', 'additions')}, {pluralize(remove.length, 'removal', 'removals')}.
      </p>
      <fieldset className="exactly">
        <legend className="visually-hidden">Groups</legend>
        {groups.map(({ id: groupId, name }) => (
          <Toggle
            key={groupId}
            kind="checkbox"
            id={`${id}-${groupId}`}
            label={name}
            disabledReason={reasons.get(groupId)}
            checked={isMember.includes(groupId)}
            onChange={(on) =>
              setWanted(on ? [...isMember, groupId] : isMember.filter((one) => one !== groupId))
            }
          />
        ))}
      </fieldset>
    </Dialog>
  );
}
