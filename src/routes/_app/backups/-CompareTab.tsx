import { GitCompareArrows } from 'lucide-react';
import { haveOneScope, previousOf } from '../../../backups/list.ts';
import type { Backup } from '../../../backups/list.ts';
import { counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { SMALL, useMedia } from '../../../ui/use-media.ts';
import { CHANGE_COLUMNS, SMALL_CHANGE_COLUMNS } from './-change-columns.tsx';
import { OtherSelect } from './-OtherSelect.tsx';
import { useComparison } from './-use-comparison.ts';
import { contentsWords, noFileWords } from './-words.ts';

interface CompareTabProps {
  backup: Backup;
  all: readonly Backup[];
  /** The file name to compare with; empty: the one before. */
  other: string;
  onOther: (fileName: string) => void;
}

const nameOf = ({ name }: { name: string }) => name;

// A list to choose from is drawn whole.
const MOST = 200;

const offered = (choices: readonly Backup[], chosen: Backup): readonly Backup[] => {
  const newest = choices.slice(0, MOST);
  return newest.includes(chosen) ? newest : [...newest, chosen];
};

/** What this backup has more, less or otherwise than another one, without restoring either. */
export function CompareTab({ backup, all, other, onOther }: CompareTabProps) {
  const choices = all.filter((one) => one.status === 'Ready' && one.fileName !== backup.fileName);
  const chosen = choices.find((one) => one.fileName === other) ?? previousOf(all, backup) ?? choices[0];
  const noFile = noFileWords(backup);
  if (noFile !== undefined || !chosen)
    return (
      <EmptyState icon={GitCompareArrows} title="Nothing to compare">
        {noFile === undefined ? 'This is the only backup that is ready.' : `${noFile}.`}
      </EmptyState>
    );
  return (
    <>
      <OtherSelect
        choices={offered(choices, chosen)}
        left={Math.max(0, choices.length - MOST)}
        value={chosen.fileName}
        onChange={onOther}
      />
      <Compared backup={backup} chosen={chosen} />
    </>
  );
}

function Compared({ backup, chosen }: { backup: Backup; chosen: Backup }) {
  const small = useMedia(SMALL);
  const isOlder = (chosen.createdDate ?? '') <= (backup.createdDate ?? '');
  const [before, after] = isOlder ? [chosen, backup] : [backup, chosen];
  // Between two that were not asked for the same, everything jumps.
  const isAlike = haveOneScope(before, after);
  const { changes, jumps, error, retry, isFetching } = useComparison(before, after);
  return (
    <>
      {!isAlike && (
        <Banner title="They were not asked for the same">
          Before: {contentsWords(before)}. After: {contentsWords(after)}. What one of them was not asked for
          is no loss.
        </Banner>
      )}
      {isAlike && jumps.length > 0 && (
        <Banner
          tone="warn"
          title={`${counted(jumps.length, 'member jumps', 'members jump')} from one backup to the next`}
        >
          {jumps.length === 1 ? 'It stands' : 'They stand'} first. Where nobody cleaned up or imported, look
          whether data are missing.
        </Banner>
      )}
      <DataTable
        label="Differences"
        columns={small ? SMALL_CHANGE_COLUMNS : CHANGE_COLUMNS}
        rows={changes}
        rowId={nameOf}
        rowLabel={nameOf}
        error={error}
        onRetry={retry}
        refetching={isFetching && error !== undefined}
        empty={<EmptyState icon={GitCompareArrows} title="Both are empty" />}
        footer={
          <span>
            Before: {before.fileName} · After: {after.fileName}
          </span>
        }
      />
    </>
  );
}
