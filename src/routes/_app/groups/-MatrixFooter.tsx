import { useAllowed } from '../../../api/session.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import { countOf } from './-pending.ts';
import type { Pending } from './-pending.ts';
import { useCommit } from './-use-commit.ts';
import { atEnd } from '../../../ui/at-end.ts';

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
export function MatrixFooter({
  pending,
  sent,
  givenUp,
  onSent,
  onDiscard,
  onReview,
  partial,
}: MatrixFooterProps) {
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
