import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import type { EntryColumn } from '../model/columns.ts';
import { planPaste, stagedByPaste } from '../editing/paste.ts';
import type { Block, PasteCell, PasteRow } from '../editing/paste.ts';
import { stageCells } from '../editing/store.ts';
import { wordsOf } from '../editing/words.ts';
import { usePeopleFinder } from '../model/people.ts';
import { useZone } from '../model/zone.ts';
import type { Field } from '../model/schema.ts';
import type { EntryRows } from '../model/rows.ts';
import { rowsBetween } from './rows-between.ts';
import { nameIn } from './sheet.ts';
import type { Editing } from './sheet.ts';
import type { Pasting } from './use-clipboard.ts';
import './paste.css';

interface PasteDialogProps {
  pasting: Pasting;
  rows: EntryRows;
  columns: readonly EntryColumn[];
  editing: Editing;
  onClose: () => void;
}

const MOST_SHOWN = 100;

/** One value goes into every cell of a selected range; a block begins at its first cell. */
function spread({ block, at }: Pasting): Block {
  const [[only] = []] = block.texts;
  const isOne = block.texts.length === 1 && block.texts[0]?.length === 1;
  const [height, width] = [at.bottom - at.top + 1, at.right - at.left + 1];
  if (!isOne || only === undefined || height * width === 1) return block;
  const fill = <T,>(one: T): T[][] =>
    Array.from({ length: height }, () => Array.from({ length: width }, () => one));
  return { texts: fill(only) };
}

/** What a pasted block would change, before anything is staged. */
export default function PasteDialog({ pasting, rows, columns, editing, onClose }: PasteDialogProps) {
  const block = useMemo(() => spread(pasting), [pasting]);
  const { top, left } = pasting.at;
  const height = block.texts.length;
  const width = Math.max(0, ...block.texts.map(({ length }) => length));
  const fields = columns.slice(left, left + width).map(({ field }) => field);
  const beyond = Math.max(0, top + height - rows.total);
  const [makeNew, setMakeNew] = useState(false);
  const findPeople = usePeopleFinder();
  const newest = Math.min(0, ...editing.changes.cells.keys());

  const { data: plan, error } = useQuery({
    queryKey: ['paste', pasting, editing.zone],
    async queryFn() {
      const there = await rowsBetween(rows, top, Math.min(rows.total, top + height) - 1, fields);
      const existing = there.map((row): PasteRow => ({
        entryId: row.EntryId,
        entryName: nameIn(row, columns),
        row,
      }));
      const fresh = Array.from({ length: beyond }, (_, at): PasteRow => ({
        entryId: newest - 1 - at,
        entryName: `New entry ${at + 1 - newest}`,
        row: undefined,
        isBeyond: true,
      }));
      const { schema, changes, zone } = editing;
      const sources = { schema, findPeople };
      return planPaste({ sources, changes, zone, block, fields, rows: [...existing, ...fresh] });
    },
    gcTime: 0,
    staleTime: Infinity,
  });
  const wanted = useMemo(() => plan?.filter(({ to }) => makeNew || !to.isBeyond) ?? [], [plan, makeNew]);
  const staged = useMemo(() => stagedByPaste(wanted), [wanted]);
  const faulty = wanted.filter(({ outcome }) => 'fault' in outcome).length;
  const kept = wanted.filter(({ outcome }) => 'kept' in outcome).length;
  const same = wanted.length - staged.length - faulty - kept;
  const lost = width - fields.length;
  const act = () => {
    stageCells(editing.typeId, staged, `Paste ${counted(staged.length, 'cell', 'cells')}`);
    onClose();
  };
  return (
    <Dialog
      title={`Paste ${count(height)} × ${count(width)} cells`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabledReason={plan && staged.length === 0 ? 'Nothing would change' : undefined}
            pending={!plan && !error}
            onClick={act}
          >
            {faulty > 0
              ? `Stage the ${count(staged.length)} that fit`
              : `Stage ${counted(staged.length, 'change', 'changes')}`}
          </Button>
        </>
      }
    >
      {error && (
        <Banner tone="bad" title="The block could not be read">
          {toServiceError(error).message}
        </Banner>
      )}
      {!plan && !error && <SkeletonRows rows={4} />}
      {plan && (
        <>
          <p aria-live="polite">
            {[
              counted(staged.length, 'cell changes', 'cells change'),
              same > 0 && `${count(same)} stay the same`,
              kept > 0 && `${count(kept)} cannot be edited and stay as they are`,
              faulty > 0 &&
                `${counted(faulty, 'does not fit', 'do not fit')} and ${faulty === 1 ? 'is' : 'are'} left out`,
              lost > 0 && `${counted(lost, 'column is', 'columns are')} beyond the last one and left out`,
            ]
              .filter(Boolean)
              .join(', ')}
            . Nothing is saved before you have reviewed it.
          </p>
          {beyond > 0 && (
            <Check
              kind="checkbox"
              id="paste-new"
              checked={makeNew}
              onChange={setMakeNew}
              label={`Make new entries of the ${counted(beyond, 'row', 'rows')} below the last entry`}
            />
          )}
          <Preview plan={wanted} fields={fields} />
        </>
      )}
    </Dialog>
  );
}

interface PreviewProps {
  plan: readonly PasteCell[];
  fields: readonly Field[];
}

/** Where each cell goes; those that do not fit come first, since they are what has to be looked at. */
function Preview({ plan, fields }: PreviewProps) {
  const byRow = [...Map.groupBy(plan, ({ to }) => to).entries()];
  const isFaulty = ([, cells]: (typeof byRow)[number]) => cells.some(({ outcome }) => 'fault' in outcome);
  const ordered = [...byRow.filter(isFaulty), ...byRow.filter((one) => !isFaulty(one))];
  return (
    // A stop of its own lets the keyboard scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="paste-scroll" aria-label="Preview" tabIndex={0}>
      <table className="paste-table">
        <thead>
          <tr>
            <th scope="col">Entry</th>
            {fields.map((field) => (
              <th key={field.id} scope="col">
                {field.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, MOST_SHOWN).map(([to, cells]) => (
            <tr key={to.entryId}>
              <th scope="row">
                <bdi>{to.entryName}</bdi>
              </th>
              {cells.map((cell) => (
                <PreviewCell key={cell.field.id} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {ordered.length > MOST_SHOWN && <p>and {count(ordered.length - MOST_SHOWN)} more rows</p>}
    </section>
  );
}

const CUT = 80;

function PreviewCell({ cell: { outcome, text, before, field } }: { cell: PasteCell }) {
  const { name: zone } = useZone();
  if ('fault' in outcome)
    return (
      <td className="paste-fault">
        <bdi>{text.slice(0, CUT)}</bdi>
        <span>{outcome.fault}</span>
      </td>
    );
  if ('kept' in outcome)
    return (
      <td className="paste-same" title={outcome.kept}>
        <bdi>{wordsOf(before, field, zone).slice(0, CUT)}</bdi>
      </td>
    );
  const was = wordsOf(before, field, zone).slice(0, CUT);
  const is = wordsOf(outcome.value, field, zone).slice(0, CUT);
  if (outcome.isSame)
    return (
      <td className="paste-same">
        <bdi>{is}</bdi>
      </td>
    );
  return (
    <td>
      {was !== '' && <del>{was}</del>} <ins>{is === '' ? 'no data' : is}</ins>
    </td>
  );
}
