import { useId, useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import type { Resolved } from '../../../directory/paste.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Check } from '../../../ui/form/Check.tsx';

interface PastedNotesProps {
  resolved: Resolved;
  /** Of those whom a name may mean, the ones chosen. */
  meant: ReadonlySet<number>;
  onMean: (userId: number) => void;
}

const SHOWN = 20;

/** What came of a pasted text beside those who were found: names of several people, and what nobody is. */
export function PastedNotes({ resolved: { matched, ambiguous, unknown }, meant, onMean }: PastedNotesProps) {
  return (
    <>
      <output className="pasted-summary">
        {counted(matched.length, 'entry is', 'entries are')} one person each
        {ambiguous.length > 0 && `, ${count(ambiguous.length)} may mean several`}
        {unknown.length > 0 && `, ${count(unknown.length)} not found`}.
      </output>
      {ambiguous.slice(0, SHOWN).map(({ entry, ids }) => (
        <Candidates key={entry} {...{ entry, ids, meant, onMean }} />
      ))}
      {unknown.length > 0 && (
        <Banner tone="warn" title="Not found on this site">
          {unknown.slice(0, SHOWN).join(', ')}
          {unknown.length > SHOWN && ` and ${count(unknown.length - SHOWN)} more`}
        </Banner>
      )}
    </>
  );
}

interface CandidatesProps extends Pick<PastedNotesProps, 'meant' | 'onMean'> {
  entry: string;
  ids: readonly number[];
}

function Candidates({ entry, ids, meant, onMean }: CandidatesProps) {
  const id = useId();
  const shown = useMemo(() => ids.slice(0, SHOWN), [ids]);
  const people = usePeople(shown);
  return (
    <fieldset className="pasted-candidates">
      <legend className="field-label">Who is “{entry}”?</legend>
      {shown.map((userId) => (
        <Check
          key={userId}
          kind="checkbox"
          id={`${id}-${userId}`}
          label={people.get(userId)?.name ?? `User ${userId}`}
          hint={`${people.get(userId)?.email ?? ''} · id ${userId}`}
          checked={meant.has(userId)}
          onChange={() => onMean(userId)}
        />
      ))}
    </fieldset>
  );
}
