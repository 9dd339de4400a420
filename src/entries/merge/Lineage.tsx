import { useQuery } from '@tanstack/react-query';
import type { EntryLineage, EntryTypeVm, LineageEntry } from '../../api/generated/types.gen.ts';
import { counted } from '../../lib/numbers.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { Moment } from '../../ui/layout/Moment.tsx';
import { Who } from '../time/Who.tsx';
import { EntryName } from './EntryName.tsx';
import { lineageQuery } from './lineage.ts';
import './merge.css';

/** The entries that an entry was merged with, in both directions; nothing where there are none. */
export function Lineage({ type, entryId }: { type: EntryTypeVm; entryId: number }) {
  const { data } = useQuery(lineageQuery(type.id, entryId));
  if (!data || data.wentInto.length + data.tookIn.length === 0) return null;
  return (
    <Card title="Merges">
      {data.wentInto.length > 0 && <WentInto lineage={data} />}
      {data.tookIn.length > 0 && (
        <div className="ent-line">
          <p>{counted(data.tookIn.length, 'entry', 'entries')} went into it:</p>
          <Taken of={data.id} all={data.tookIn} />
        </div>
      )}
    </Card>
  );
}

function WentInto({ lineage: { wentInto } }: { lineage: EntryLineage }) {
  return (
    <div className="ent-line">
      <p>It went into:</p>
      <ol className="mg-way">
        {wentInto.map((step) => (
          <li key={step.id}>
            <EntryName entry={step} />
            <span className="ent-quiet">
              <Moment at={step.at} />, <Who {...(step.by && { by: step.by })} />
              {step.isDeleted && ' · not there either'}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What went into an entry, and under each what had gone into that one before. */
function Taken({ of, all }: { of: number; all: readonly LineageEntry[] }) {
  const direct = all.filter(({ mergedEntryId }) => mergedEntryId === of);
  return (
    <ul className="mg-tree">
      {direct.map((entry) => (
        <li key={entry.id}>
          <EntryName entry={entry} />
          <span className="ent-quiet">
            <Moment at={entry.mergedAt} />, <Who {...(entry.by && { by: entry.by })} />
          </span>
          {all.some(({ mergedEntryId }) => mergedEntryId === entry.id) && <Taken of={entry.id} all={all} />}
        </li>
      ))}
    </ul>
  );
}
