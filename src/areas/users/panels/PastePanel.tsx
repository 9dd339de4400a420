import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { resolvePastedText, useDirectory, usePeopleById } from '../../../directory/directory.ts';
import type { ResolvedPaste } from '../../../directory/paste/resolve-pasted.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import '../../../ui/form/form.css';
import './paste.css';
import '../../../ui/form/check.css';

interface PastePanelProps {
  text: string;
  onClose: () => void;
  onChoose: (ids: ReadonlySet<number>) => void;
}

/** Users found in a pasted text: matched, ambiguous and not found. */
export default function PastePanel({ text, onClose, onChoose }: PastePanelProps) {
  const { complete, version } = useDirectory();
  const { data: resolved } = useQuery({
    queryKey: [{ _id: 'directory', version, text }],
    queryFn: () => resolvePastedText(text),
    placeholderData: (before) => before,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(new Set());
  const matchedIds = resolved?.matched.flatMap(({ ids }) => ids) ?? [];
  const resultIds = new Set([...matchedIds, ...selectedIds]);
  return (
    <Panel title="People in the pasted text" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (resultIds.size > 0) onChoose(resultIds);
        }}
      >
        <div className="form-body paste">
          {!complete && (
            <Banner tone="warn" title="People are still loading">
              People not found yet may appear shortly.
            </Banner>
          )}
          {resolved ? (
            <PasteResult {...{ resolved, selectedIds }} onSelect={setSelectedIds} />
          ) : (
            <SkeletonRows />
          )}
        </div>
        <footer className="form-footer">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            disabledReason={resultIds.size === 0 ? 'No one was recognized' : undefined}
          >
            Select {resultIds.size === 0 ? 'these' : `these ${formatNumber(resultIds.size)}`}
          </Button>
        </footer>
      </form>
    </Panel>
  );
}

interface PasteResultProps {
  resolved: ResolvedPaste;
  selectedIds: ReadonlySet<number>;
  onSelect: (selectedIds: ReadonlySet<number>) => void;
}

function PasteResult({
  resolved: { matched, ambiguous, unknown },
  selectedIds: picked,
  onSelect,
}: PasteResultProps) {
  const recognised = useMemo(() => [...new Set(matched.flatMap(({ ids }) => ids))], [matched]);
  return (
    <>
      {unknown.length > 0 && (
        <Section
          title={pluralize(unknown.length, 'entry was not found', 'entries were not found')}
          aside={<CopyButton value={unknown.join('\n')} label="Copy entries not found" />}
        >
          <ul className="paste-list mono">
            {unknown.slice(0, MAX_LISTED).map((entry) => (
              <li key={entry}>{entry}</li>
            ))}
          </ul>
          <MoreCount of={unknown.length} />
        </Section>
      )}
      {ambiguous.length > 0 && (
        <Section
          title={pluralize(
            ambiguous.length,
            'entry may mean several people',
            'entries may mean several people',
          )}
        >
          {ambiguous.slice(0, MAX_LISTED).map(({ entry, ids }) => (
            <PersonChoice key={entry} {...{ entry, ids, selectedIds: picked, onSelect }} />
          ))}
          <MoreCount of={ambiguous.length} />
        </Section>
      )}
      {recognised.length > 0 && (
        <Section title={pluralize(recognised.length, 'person recognized', 'people recognized')}>
          <PersonList ids={recognised} />
          <MoreCount of={recognised.length} />
        </Section>
      )}
    </>
  );
}

const MAX_LISTED = 100;

function MoreCount({ of }: { of: number }) {
  return of <= MAX_LISTED ? null : <p className="paste-rest">and {formatNumber(of - MAX_LISTED)} more</p>;
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

function PersonList({ ids }: { ids: readonly number[] }) {
  const shown = useMemo(() => ids.slice(0, MAX_LISTED), [ids]);
  const people = usePeopleById(shown);
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
  selectedIds: ReadonlySet<number>;
  onSelect: (selectedIds: ReadonlySet<number>) => void;
}

/** Candidates for an ambiguous entry. */
function PersonChoice({ entry, ids, selectedIds: picked, onSelect }: PersonChoiceProps) {
  const people = usePeopleById(ids);
  const toggle = (id: number) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
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
