import { useId, useState } from 'react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { getGroupsAfter, NOTHING_PENDING, toPairs, stageExactGroups } from './pending.ts';
import type { PendingChanges } from './pending.ts';
import { useColumnReasons } from './use-pending.ts';

interface SetExactlyDialogProps {
  person: DirectoryRow;
  groups: readonly GroupInfoResponse[];
  pending: PendingChanges;
  onChange: (next: (now: PendingChanges) => PendingChanges) => void;
  onClose: () => void;
}

/** Chooses the exact groups of a user and stages the difference. */
export function SetExactlyDialog({ person, groups, pending, onChange, onClose }: SetExactlyDialogProps) {
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
