import { Undo2 } from 'lucide-react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';
import { countChanges, discardUserChanges, toPairs } from './pending.ts';
import type { PendingChanges } from './pending.ts';
import { useSavePending } from './use-pending.ts';
import '../../../ui/form/form.css';

interface ReviewPanelProps {
  groups: readonly GroupInfoResponse[];
  pending: PendingChanges;
  people: ReadonlyMap<number, DirectoryRow>;
  onChange: (next: (now: PendingChanges) => PendingChanges) => void;
  onSent: () => void;
  onClose: () => void;
}

const MAX_SHOWN_PEOPLE = 200;

/** All pending changes by user. */
export function ReviewPanel({ groups, pending, people, onChange, onSent, onClose }: ReviewPanelProps) {
  const commit = useSavePending(pending, onSent);
  const { add, remove } = toPairs(pending);
  const changes = pluralize(countChanges(pending), 'change', 'changes');
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const persons = [...pending].slice(0, MAX_SHOWN_PEOPLE);
  return (
    <Panel title="Review changes" onClose={onClose}>
      <div className="form">
        <div className="form-body">
          {pending.size === 0 ? (
            <EmptyState title="Nothing is pending">Changes in the matrix are listed here.</EmptyState>
          ) : (
            <Banner
              title={`${pluralize(add.length, 'addition', 'additions')}, ${pluralize(remove.length, 'removal', 'removals')}`}
            >
              Additions and removals are sent separately. Memberships not listed here stay unchanged.
            </Banner>
          )}
          <ul className="mx-review">
            {persons.map(([userId, wishes]) => {
              const person = people.get(userId);
              const name = person?.name ?? `User ${userId}`;
              return (
                <li key={userId}>
                  <div className="mx-review-head">
                    <strong>{name}</strong>
                    <IconButton
                      label={`Undo the changes for ${name}`}
                      icon={Undo2}
                      size="small"
                      onClick={({ currentTarget }) => {
                        focusNeighbour(currentTarget);
                        onChange((now) => discardUserChanges(now, userId));
                      }}
                    />
                  </div>
                  {!person && <p className="mx-review-gone">Probably no longer on this site.</p>}
                  {[...wishes].map(([groupId, isMember]) => (
                    <div key={groupId} className="mx-review-line">
                      <span className={isMember ? 'mx-review-add' : 'mx-review-remove'} aria-hidden>
                        {isMember ? '+' : '−'}
                      </span>
                      <span>
                        <span className="visually-hidden">{isMember ? 'Add to ' : 'Remove from '}</span>
                        {names.get(groupId) ?? `Group ${groupId}`}
                      </span>
                    </div>
                  ))}
                </li>
              );
            })}
          </ul>
          {pending.size > MAX_SHOWN_PEOPLE && (
            <p>and {formatNumber(pending.size - MAX_SHOWN_PEOPLE)} more people</p>
          )}
        </div>
        <footer className="form-footer">
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            disabledReason={commit.reason ?? (pending.size === 0 ? 'Nothing is pending' : undefined)}
            onClick={() => {
              onClose();
              commit.open();
            }}
          >
            {pending.size === 0 ? 'Save' : `Save ${changes}`}
          </Button>
        </footer>
      </div>
    </Panel>
  );
}
