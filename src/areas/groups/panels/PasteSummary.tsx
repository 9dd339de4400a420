import { useId, useMemo } from 'react';
import { usePeopleById } from '../../../directory/directory.ts';
import type { ResolvedPaste } from '../../../directory/paste/resolve-pasted.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';

interface PasteSummaryProps {
  resolved: ResolvedPaste;
  /** Selected candidates of ambiguous names. */
  meantIds: ReadonlySet<number>;
  onToggle: (userId: number) => void;
}

const MAX_SHOWN_ENTRIES = 20;

/** Summary of a pasted text: ambiguous names and entries not found. */
export function PasteSummary({
  resolved: { matched, ambiguous, unknown },
  meantIds,
  onToggle,
}: PasteSummaryProps) {
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
