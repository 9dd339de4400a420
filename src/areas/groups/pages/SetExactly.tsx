import { useId, useState } from 'react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import { groupsAfter, NOTHING_PENDING, pairsOf, setExactly } from '../matrix/pending.ts';
import type { Pending } from '../matrix/pending.ts';
import { useColumnReasons } from '../matrix/use-column-reasons.ts';

interface SetExactlyProps {
  person: DirectoryRow;
  groups: readonly GroupInfoResponse[];
  pending: Pending;
  onChange: (next: (now: Pending) => Pending) => void;
  onClose: () => void;
}

/** The groups somebody is to be in and no others; what has to be added and removed for that becomes pending. */
export function SetExactly({ person, groups, pending, onChange, onClose }: SetExactlyProps) {
  const id = useId();
  const reasons = useColumnReasons(groups);
  const [wanted, setWanted] = useState(() => groupsAfter(person, pending));
  const { add, remove } = pairsOf(setExactly(NOTHING_PENDING, person, wanted));
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
              onChange((now) => setExactly(now, person, wanted));
              onClose();
            }}
          >
            {changes === 0 ? 'Note no changes' : `Note ${counted(changes, 'change', 'changes')}`}
          </Button>
        </>
      }
    >
      <p>
        The interface cannot replace a list of groups: it adds and it removes. Choose what {person.name} is to
        be in, and the difference is noted in the matrix: {counted(add.length, 'addition', 'additions')},{' '}
        {counted(remove.length, 'removal', 'removals')}.
      </p>
      <fieldset className="exactly">
        <legend className="visually-hidden">Groups</legend>
        {groups.map(({ id: groupId, name }) => (
          <Check
            key={groupId}
            kind="checkbox"
            id={`${id}-${groupId}`}
            label={name}
            disabledReason={reasons.get(groupId)}
            checked={wanted.includes(groupId)}
            onChange={(on) => setWanted(on ? [...wanted, groupId] : wanted.filter((one) => one !== groupId))}
          />
        ))}
      </fieldset>
    </Dialog>
  );
}
