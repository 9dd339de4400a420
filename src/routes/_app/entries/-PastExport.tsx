import { Download } from 'lucide-react';
import type { Condition } from '../../../../contract/rules/query/tree.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import type { EntryColumn } from '../../../entries/columns.ts';
import { entriesSource } from '../../../entries/export/source.ts';
import type { Field } from '../../../entries/schema.ts';
import { pastSource, pastWords } from '../../../entries/time/past-export.ts';
import type { PastView } from '../../../entries/time/past-view.ts';
import type { usePast } from '../../../entries/time/use-past.ts';
import { OWN_ZONE, useZone } from '../../../entries/zone.ts';
import { openExport } from '../../../export/index.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { useFilterWords } from './-use-filter-words.ts';

interface PastExportProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  columns: readonly EntryColumn[];
  view: PastView;
  condition: Condition | undefined;
  answer: ReturnType<typeof usePast>;
}

/** Writes the list as it was into a file, each row with its moment and what is different today. */
export function PastExport({ type, fields, columns, view, condition, answer }: PastExportProps) {
  const { reason } = useAllowed('recordExport');
  const { site } = useSession();
  const zone = useZone();
  const filter = useFilterWords(view, condition);
  const { asOf } = view;
  const { list, question, error, stale } = answer;
  const total = list?.rows.total;
  const missing =
    asOf === undefined
      ? 'Choose a moment first'
      : error
        ? 'The list could not be read'
        : total === undefined || stale
          ? 'The list is still being read'
          : total === 0
            ? 'Nothing matches'
            : undefined;
  const open = () => {
    if (asOf === undefined || total === undefined) return;
    const words = [pastWords(asOf, view), ...(filter === undefined ? [] : [filter])].join(' · ');
    const request = { type, fields, columns: columns.map(({ field }) => field), question, total };
    openExport(
      entriesSource({ ...request, filter: words, past: pastSource(type.id, question, fields) }, [
        zone.name,
        'UTC',
        site.timeZone,
        OWN_ZONE,
      ]),
    );
  };
  return (
    <Button icon={Download} disabledReason={reason ?? missing} onClick={open}>
      Export
    </Button>
  );
}
