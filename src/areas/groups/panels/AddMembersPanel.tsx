import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { openBulk } from '../../bulk/index.ts';
import { resolveText, useDirectory, useFound } from '../../../directory/directory.ts';
import { capabilitiesOf } from '../../../directory/groups.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { useGroupReason } from '../model/group-capabilities.ts';
import { ChosenPeople } from '../pages/ChosenPeople.tsx';
import { membersOf } from '../model/members-view.ts';
import { PastedNotes } from '../pages/PastedNotes.tsx';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { useGroup } from '../pages/use-group.ts';
import type { Resolved } from '../../../directory/paste.ts';
import '../pages/add-members.css';

const NONE: ReadonlySet<number> = new Set();
const people = (number: number) => counted(number, 'person', 'people');

const toggled = (set: ReadonlySet<number>, id: number): ReadonlySet<number> => {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
};
const without = (set: ReadonlySet<number>, id: number): ReadonlySet<number> =>
  set.has(id) ? toggled(set, id) : set;

/** Adds many to the group: found one by one, or pasted from wherever they stand. */
export function AddMembersPanel() {
  const router = useRouter();
  const group = useGroup();
  const { reason } = useAllowed('assignGroups');
  const holds = useGroupReason();
  const [picked, setPicked] = useState<readonly number[]>([]);
  const [text, setText] = useState('');
  const [meant, setMeant] = useState(NONE);
  const [dropped, setDropped] = useState(NONE);
  const { resolved, waiting } = useResolved(text);
  const isMember = useIsMember(group.id);
  const { ids, already } = chosenOf({ picked, resolved, meant, dropped, isMember });
  useUnsavedGuard(ids.length > 0 || text !== '');
  const pasteId = useId();

  const leave = (ignoreBlocker: boolean) =>
    router.navigate({
      to: '/groups/$groupId',
      params: { groupId: group.id },
      search: (now) => now,
      ignoreBlocker,
    });
  // The panel stays until it was agreed to: who turns back in the dry run has lost nobody.
  const submit = () =>
    openBulk({
      action: { kind: 'addGroups', groupIds: [group.id] },
      userIds: ids,
      onBegin: () => void leave(true),
    });
  const notYet = waiting
    ? 'The list is being looked up'
    : ids.length === 0
      ? 'Choose somebody first'
      : undefined;
  const why = reason ?? holds(capabilitiesOf(group)) ?? notYet;

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
            first
            onPick={(userId) => {
              setPicked([...picked.filter((one) => one !== userId), userId]);
              setDropped(without(dropped, userId));
            }}
            reasonFor={(userId) => {
              if (isMember(userId)) return 'In the group already';
              return ids.includes(userId) ? 'Chosen already' : undefined;
            }}
          />
          <FieldFrame
            id={pasteId}
            noteId={`${pasteId}-note`}
            label="Or paste a list"
            hint="A column of a sheet, a mail, a log: ids, e-mails and names are looked up."
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
                if (event.target.value.trim() === '') setDropped(NONE);
              }}
            />
          </FieldFrame>
          {resolved && (
            <PastedNotes
              resolved={resolved}
              meant={meant}
              onMean={(userId) => {
                setMeant(toggled(meant, userId));
                setDropped(without(dropped, userId));
              }}
            />
          )}
          <ChosenPeople
            ids={ids}
            already={already.length}
            onDrop={(userId) => {
              setPicked(picked.filter((one) => one !== userId));
              setMeant(without(meant, userId));
              setDropped(new Set(dropped).add(userId));
            }}
          />
        </div>
        <footer className="form-footer">
          <Button onClick={() => void leave(false)}>Cancel</Button>
          <Button type="submit" variant="primary" disabledReason={why}>
            {ids.length === 0 ? 'Add people' : `Add ${people(ids.length)}`}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

/** Who is meant by the pasted text; the last answer stays until the next is there, and says that it waits. */
function useResolved(text: string) {
  const asked = useDeferredValue(text);
  const { version } = useDirectory();
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['pasted', asked, version],
    queryFn: () => resolveText(asked),
    enabled: asked.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  // An emptied text means nobody, whatever was found before.
  if (text.trim() === '') return { resolved: undefined, waiting: false };
  return { resolved: data, waiting: asked !== text || data === undefined || isPlaceholderData };
}

function useIsMember(groupId: number): (userId: number) => boolean {
  const query = useMemo(() => membersOf(groupId), [groupId]);
  const found = useFound(query);
  return useMemo(() => {
    const members = new Set(found?.ids);
    return (userId) => members.has(userId);
  }, [found]);
}

/** Who is chosen in the panel, and what keeps others out. */
interface Chosen {
  /** To be added, each once, in the order in which they came. */
  ids: readonly number[];
  /** In the group already. */
  already: readonly number[];
}

interface Choice {
  picked: readonly number[];
  resolved: Resolved | undefined;
  /** Of a name that several people have, those who are meant. */
  meant: ReadonlySet<number>;
  dropped: ReadonlySet<number>;
  isMember: (userId: number) => boolean;
}

/** Everybody picked, pasted or meant, without those taken out again and those who are members. */
function chosenOf({ picked, resolved, meant, dropped, isMember }: Choice): Chosen {
  const all = new Set([
    ...picked,
    ...(resolved?.matched.flatMap(({ ids }) => ids) ?? []),
    ...(resolved?.ambiguous.flatMap(({ ids }) => ids.filter((id) => meant.has(id))) ?? []),
  ]);
  const wanted = [...all].filter((id) => !dropped.has(id));
  return { ids: wanted.filter((id) => !isMember(id)), already: wanted.filter(isMember) };
}
