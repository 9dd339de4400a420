import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { resolveText, useDirectory, usePeople } from '../../../directory/directory.ts';
import type { Resolved } from '../../../directory/paste.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import '../../../ui/form/form.css';
import '../pages/paste.css';
import '../../../ui/form/check.css';

interface PastePanelProps {
  text: string;
  onClose: () => void;
  onChoose: (ids: ReadonlySet<number>) => void;
}

/** Who is meant by a pasted text: those recognised, those to choose from, and what was not found. */
export default function PastePanel({ text, onClose, onChoose }: PastePanelProps) {
  const { complete, version } = useDirectory();
  const { data: resolved } = useQuery({
    queryKey: [{ _id: 'directory', version, text }],
    queryFn: () => resolveText(text),
    placeholderData: (before) => before,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set());
  const sure = resolved?.matched.flatMap(({ ids }) => ids) ?? [];
  const chosen = new Set([...sure, ...picked]);
  return (
    <Panel title="People in the pasted text" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen.size > 0) onChoose(chosen);
        }}
      >
        <div className="form-body paste">
          {!complete && (
            <Banner tone="warn" title="Everybody is still being read">
              Who is not found yet may be found in a moment.
            </Banner>
          )}
          {resolved ? <Found {...{ resolved, picked }} onPick={setPicked} /> : <SkeletonRows />}
        </div>
        <footer className="form-footer">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            disabledReason={chosen.size === 0 ? 'Nobody is recognised' : undefined}
          >
            Select {chosen.size === 0 ? 'these' : `these ${count(chosen.size)}`}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

interface FoundProps {
  resolved: Resolved;
  picked: ReadonlySet<number>;
  onPick: (picked: ReadonlySet<number>) => void;
}

function Found({ resolved: { matched, ambiguous, unknown }, picked, onPick }: FoundProps) {
  const recognised = useMemo(() => [...new Set(matched.flatMap(({ ids }) => ids))], [matched]);
  return (
    <>
      {unknown.length > 0 && (
        <Section
          title={counted(unknown.length, 'entry was not found', 'entries were not found')}
          aside={<CopyButton value={unknown.join('\n')} label="Copy what was not found" />}
        >
          <ul className="paste-list mono">
            {unknown.slice(0, MOST).map((entry) => (
              <li key={entry}>{entry}</li>
            ))}
          </ul>
          <Rest of={unknown.length} />
        </Section>
      )}
      {ambiguous.length > 0 && (
        <Section
          title={counted(
            ambiguous.length,
            'entry may mean several people',
            'entries may mean several people',
          )}
        >
          {ambiguous.slice(0, MOST).map(({ entry, ids }) => (
            <PersonChoice key={entry} {...{ entry, ids, picked, onPick }} />
          ))}
          <Rest of={ambiguous.length} />
        </Section>
      )}
      {recognised.length > 0 && (
        <Section title={counted(recognised.length, 'person is recognised', 'people are recognised')}>
          <Names ids={recognised} />
          <Rest of={recognised.length} />
        </Section>
      )}
    </>
  );
}

const MOST = 100;

function Rest({ of }: { of: number }) {
  return of <= MOST ? null : <p className="paste-rest">and {count(of - MOST)} more</p>;
}

function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="paste-part">
      <header>
        <h3>{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  );
}

function Names({ ids }: { ids: readonly number[] }) {
  const shown = useMemo(() => ids.slice(0, MOST), [ids]);
  const people = usePeople(shown);
  return (
    <ul className="paste-list">
      {shown.map((id) => (
        <li key={id}>
          <span>{people.get(id)?.name ?? id}</span> <small>{people.get(id)?.email}</small>
        </li>
      ))}
    </ul>
  );
}

interface PersonChoiceProps {
  entry: string;
  ids: readonly number[];
  picked: ReadonlySet<number>;
  onPick: (picked: ReadonlySet<number>) => void;
}

/** Whom an entry may mean, each to be ticked. */
function PersonChoice({ entry, ids, picked, onPick }: PersonChoiceProps) {
  const people = usePeople(ids);
  const toggle = (id: number) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    onPick(next);
  };
  return (
    <fieldset className="paste-choice">
      <legend className="mono">{entry}</legend>
      {ids.map((id) => {
        const person = people.get(id);
        return (
          <label key={id}>
            <input
              type="checkbox"
              className="checkbox"
              checked={picked.has(id)}
              onChange={() => toggle(id)}
            />
            <span>
              {person?.name ?? id} <small>{person?.email}</small>
              {person?.isActive === false && <small> · inactive</small>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
