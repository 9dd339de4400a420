import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { usePermission } from '../../../api/session.ts';
import {
  resolvePastedText,
  useDirectory,
  useDirectorySearch,
  usePeopleById,
} from '../../../directory/directory.ts';
import { getGroupCapabilities } from '../../../directory/groups.ts';
import type { ResolvedPaste } from '../../../directory/paste/resolve-pasted.ts';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { openBulk } from '../../bulk/index.ts';
import { useGrantCheck } from '../model/group-capabilities.ts';
import { createMembersQuery } from '../model/members-view.ts';
import { useGroup } from '../model/use-group.ts';
import './add-members.css';

const NO_IDS: ReadonlySet<number> = new Set();
const formatPeople = (number: number) => pluralize(number, 'person', 'people');

const toggleId = (set: ReadonlySet<number>, id: number): ReadonlySet<number> => {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
};
const removeId = (set: ReadonlySet<number>, id: number): ReadonlySet<number> =>
  set.has(id) ? toggleId(set, id) : set;

/** Panel that adds users to the group, searched or pasted. */
export function AddMembersPanel() {
  const router = useRouter();
  const group = useGroup();
  const { reason } = usePermission('assignGroups');
  const holds = useGrantCheck();
  const [pickedIds, setPickedIds] = useState<readonly number[]>([]);
  const [text, setText] = useState('');
  const [meantIds, setMeantIds] = useState(NO_IDS);
  const [excludedIds, setExcludedIds] = useState(NO_IDS);
  const { resolved, waiting } = useResolvedPaste(text);
  const isMember = useIsMember(group.id);
  const { ids, memberIds } = getSelectedPeople({ pickedIds, resolved, meantIds, excludedIds, isMember });
  useUnsavedGuard(ids.length > 0 || text !== '');
  const pasteId = useId();

  const leave = (ignoreBlocker: boolean) =>
    router.navigate({
      to: '/groups/$groupId',
      params: { groupId: group.id },
      search: (now) => now,
      ignoreBlocker,
    });
  // The panel stays open until the dry run is confirmed, so going back loses nothing.
  const submit = () =>
    openBulk({
      action: { kind: 'addGroups', groupIds: [group.id] },
      userIds: ids,
      onStart: () => void leave(true),
    });
  const notYet = waiting
    ? 'The list is still being looked up'
    : ids.length === 0
      ? 'Choose a person first'
      : undefined;
  const why = reason ?? holds(getGroupCapabilities(group)) ?? notYet;

  return (
    <Panel title={`Add people to ${group.name}`} onClose={() => void leave(false)}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (why === undefined) submit();
        }}
      >
        <div className="form-body">
          <PersonPicker
            label="Find people"
            placeholder="Name, e-mail or id"
            // The panel was opened to find people.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            onSelect={(userId) => {
              setPickedIds([...pickedIds.filter((one) => one !== userId), userId]);
              setExcludedIds(removeId(excludedIds, userId));
            }}
            getDisabledReason={(userId) => {
              if (isMember(userId)) return 'Already a member';
              return ids.includes(userId) ? 'Already chosen' : undefined;
            }}
          />
          <FieldFrame
            id={pasteId}
            noteId={`${pasteId}-note`}
            label="Or paste a list"
            hint="Ids, e-mails and names in any text are looked up."
          >
            <textarea
              id={pasteId}
              className="input"
              rows={4}
              aria-describedby={`${pasteId}-note`}
              spellCheck={false}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                if (event.target.value.trim() === '') setExcludedIds(NO_IDS);
              }}
            />
          </FieldFrame>
          {resolved && (
            <PasteSummary
              resolved={resolved}
              meantIds={meantIds}
              onToggle={(userId) => {
                setMeantIds(toggleId(meantIds, userId));
                setExcludedIds(removeId(excludedIds, userId));
              }}
            />
          )}
          <SelectedPeopleList
            ids={ids}
            memberCount={memberIds.length}
            onExclude={(userId) => {
              setPickedIds(pickedIds.filter((one) => one !== userId));
              setMeantIds(removeId(meantIds, userId));
              setExcludedIds(new Set(excludedIds).add(userId));
            }}
          />
        </div>
        <footer className="form-footer">
          <Button onClick={() => void leave(false)}>Cancel</Button>
          <Button type="submit" variant="primary" disabledReason={why}>
            {ids.length === 0 ? 'Add people' : `Add ${formatPeople(ids.length)}`}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

/** Users found in the pasted text; the previous result is shown while the next one is loading. */
function useResolvedPaste(text: string) {
  const deferred = useDeferredValue(text);
  const { version } = useDirectory();
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['pasted', deferred, version],
    queryFn: () => resolvePastedText(deferred),
    enabled: deferred.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  // An empty text has no result.
  if (text.trim() === '') return { resolved: undefined, waiting: false };
  return { resolved: data, waiting: deferred !== text || data === undefined || isPlaceholderData };
}

function useIsMember(groupId: number): (userId: number) => boolean {
  const query = useMemo(() => createMembersQuery(groupId), [groupId]);
  const found = useDirectorySearch(query);
  return useMemo(() => {
    const members = new Set(found?.ids);
    return (userId) => members.has(userId);
  }, [found]);
}

/** Users selected in the panel. */
interface SelectedPeople {
  /** Ids to add, unique, in order of selection. */
  ids: readonly number[];
  /** Ids that are members already. */
  memberIds: readonly number[];
}

interface SelectionInput {
  pickedIds: readonly number[];
  resolved: ResolvedPaste | undefined;
  /** Selected candidates of ambiguous names. */
  meantIds: ReadonlySet<number>;
  excludedIds: ReadonlySet<number>;
  isMember: (userId: number) => boolean;
}

/** All picked, pasted and selected users without excluded ones, split by membership. */
function getSelectedPeople({
  pickedIds,
  resolved,
  meantIds,
  excludedIds,
  isMember,
}: SelectionInput): SelectedPeople {
  const all = new Set([
    ...pickedIds,
    ...(resolved?.matched.flatMap(({ ids }) => ids) ?? []),
    ...(resolved?.ambiguous.flatMap(({ ids }) => ids.filter((id) => meantIds.has(id))) ?? []),
  ]);
  const selectedIds = [...all].filter((id) => !excludedIds.has(id));
  return { ids: selectedIds.filter((id) => !isMember(id)), memberIds: selectedIds.filter(isMember) };
}

interface SelectedPeopleListProps {
  ids: readonly number[];
  /** Number of selected users who are members already. */
  memberCount: number;
  onExclude: (userId: number) => void;
}

const MAX_SHOWN_PEOPLE = 50;

/** Users to add, each removable. */
function SelectedPeopleList({ ids, memberCount, onExclude }: SelectedPeopleListProps) {
  const titleId = useId();
  const key = ids.slice(0, MAX_SHOWN_PEOPLE).join();
  // Keyed by ids, so that equal selections keep their identity.
  const shown = useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
  const people = usePeopleById(shown);
  if (ids.length === 0 && memberCount === 0) return null;
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="field-label">
        {ids.length === 0
          ? 'No one left to add'
          : `${pluralize(ids.length, 'person', 'people')} will be added`}
      </h3>
      {memberCount > 0 && (
        <p className="chosen-more">
          {pluralize(memberCount, 'person is', 'people are')} already in the group and will be skipped.
        </p>
      )}
      <ul className="chosen">
        {shown.map((userId) => {
          const name = people.get(userId)?.name ?? `User ${userId}`;
          return (
            <li key={userId}>
              <Avatar name={name} id={userId} />
              <span className="chosen-name">
                {name} <small>{people.get(userId)?.email}</small>
              </span>
              <IconButton
                label={`Leave out ${name}`}
                icon={X}
                size="small"
                onClick={({ currentTarget }) => {
                  focusNeighbour(currentTarget);
                  onExclude(userId);
                }}
              />
            </li>
          );
        })}
      </ul>
      {ids.length > MAX_SHOWN_PEOPLE && (
        <p className="chosen-more">and {formatNumber(ids.length - MAX_SHOWN_PEOPLE)} more</p>
      )}
    </section>
  );
}

interface PasteSummaryProps {
  resolved: ResolvedPaste;
  /** Selected candidates of ambiguous names. */
  meantIds: ReadonlySet<number>;
  onToggle: (userId: number) => void;
}

const MAX_SHOWN_ENTRIES = 20;

/** Summary of a pasted text: ambiguous names and entries not found. */
function PasteSummary({ resolved: { matched, ambiguous, unknown }, meantIds, onToggle }: PasteSummaryProps) {
  return (
    <>
      <output className="pasted-summary">
        {pluralize(matched.length, 'entry matches', 'entries match')} one person
        {ambiguous.length > 0 && `, ${formatNumber(ambiguous.length)} may match several people`}
        {unknown.length > 0 && `, ${formatNumber(unknown.length)} not found`}.
      </output>
      {ambiguous.slice(0, MAX_SHOWN_ENTRIES).map(({ entry, ids }) => (
        <Candidates key={entry} {...{ entry, ids, meantIds, onToggle }} />
      ))}
      {unknown.length > 0 && (
        <Banner tone="warn" title="Not found on this site">
          {unknown.slice(0, MAX_SHOWN_ENTRIES).join(', ')}
          {unknown.length > MAX_SHOWN_ENTRIES &&
            ` and ${formatNumber(unknown.length - MAX_SHOWN_ENTRIES)} more`}
        </Banner>
      )}
    </>
  );
}

interface CandidatesProps extends Pick<PasteSummaryProps, 'meantIds' | 'onToggle'> {
  entry: string;
  ids: readonly number[];
}

function Candidates({ entry, ids, meantIds, onToggle }: CandidatesProps) {
  const id = useId();
  const shown = useMemo(() => ids.slice(0, MAX_SHOWN_ENTRIES), [ids]);
  const people = usePeopleById(shown);
  return (
    <fieldset className="pasted-candidates">
      <legend className="field-label">Who is “{entry}”?</legend>
      {shown.map((userId) => (
        <Toggle
          key={userId}
          kind="checkbox"
          id={`${id}-${userId}`}
          label={people.get(userId)?.name ?? `User ${userId}`}
          hint={`${people.get(userId)?.email ?? ''} · id ${userId}`}
          checked={meantIds.has(userId)}
          onChange={() => onToggle(userId)}
        />
      ))}
    </fieldset>
  );
}
