import { Undo2 } from 'lucide-react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { countOf, forget, pairsOf } from './pending.ts';
import type { Pending } from './pending.ts';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';
import { useCommit } from './use-commit.ts';
import '../../../ui/form/form.css';

interface ReviewPanelProps {
  groups: readonly GroupInfoResponse[];
  pending: Pending;
  people: ReadonlyMap<number, DirectoryRow>;
  onChange: (next: (now: Pending) => Pending) => void;
  onSent: () => void;
  onClose: () => void;
}

const SHOWN = 200;

/** Everything pending, person by person, with what it will be sent as. */
export function ReviewPanel({ groups, pending, people, onChange, onSent, onClose }: ReviewPanelProps) {
  const commit = useCommit(pending, onSent);
  const { add, remove } = pairsOf(pending);
  const changes = counted(countOf(pending), 'change', 'changes');
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const persons = [...pending].slice(0, SHOWN);
  return (
    <Panel title="Review changes" onClose={onClose}>
      <div className="form">
        <div className="form-body">
          {pending.size === 0 ? (
            <EmptyState title="Nothing is pending">What you change in the matrix is listed here.</EmptyState>
          ) : (
            <Banner
              title={`${counted(add.length, 'addition', 'additions')}, ${counted(remove.length, 'removal', 'removals')}`}
            >
              They are sent as two kinds of calls: adding appends and never replaces what somebody has,
              removing takes only what is listed. Whatever is not listed here stays as it is.
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
                        onChange((now) => forget(now, userId));
                      }}
                    />
                  </div>
                  {!person && <p className="mx-review-gone">No longer on this site, as far as is known.</p>}
                  {[...wishes].map(([groupId, wanted]) => (
                    <div key={groupId} className="mx-review-line">
                      <span className={wanted ? 'mx-review-add' : 'mx-review-remove'} aria-hidden>
                        {wanted ? '+' : '−'}
                      </span>
                      <span>
                        <span className="visually-hidden">{wanted ? 'Add to ' : 'Remove from '}</span>
                        {names.get(groupId) ?? `Group ${groupId}`}
                      </span>
                    </div>
                  ))}
                </li>
              );
            })}
          </ul>
          {pending.size > SHOWN && <p>and {count(pending.size - SHOWN)} more people</p>}
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
