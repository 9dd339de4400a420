import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { holderOf, useSession } from '../../../../api/session.ts';
import { rowsToSend } from '../../../../import/planned-rows.ts';
import { startImport } from '../../../../import/job.ts';
import { counted } from '../../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../../shell/unsaved.ts';
import { Trail } from '../../../../shell/Trail.tsx';
import { Button } from '../../../../ui/button/Button.tsx';
import { Page } from '../../../../ui/layout/Page.tsx';
import { ColumnsCard } from './-ColumnsCard.tsx';
import { FileCard } from './-FileCard.tsx';
import { Preview } from './-Preview.tsx';
import { useCheck } from './-use-preparation.ts';
import type { Prepared, usePreparation } from './-use-preparation.ts';

type Preparation = ReturnType<typeof usePreparation>;

/** The steps before an import, on one page. */
export function Prepare({ preparation }: { preparation: Preparation }) {
  const { stage, open } = preparation;
  useUnsavedGuard(stage.at === 'ready');
  if (stage.at === 'ready') return <Ready key={stage.id} prepared={stage} preparation={preparation} />;
  return (
    <Page title="Import users" breadcrumbs={<Trail />} meta="Create and change many from a CSV file">
      <FileCard
        onFile={(file) => void open(file)}
        fault={stage.at === 'empty' ? stage.fault : undefined}
        reading={stage.at === 'reading' ? stage : undefined}
      />
    </Page>
  );
}

function Ready({ prepared, preparation }: { prepared: Prepared; preparation: Preparation }) {
  const client = useQueryClient();
  const holder = holderOf(useSession());
  const check = useCheck(prepared);
  const [starting, setStarting] = useState(false);
  const { data: counts, isPlaceholderData } = check;
  // The last answer stays in view until the next is there: it says nothing about the columns as they are now.
  const ready = counts && !isPlaceholderData ? counts.create + counts.update : undefined;

  const start = async (number: number) => {
    setStarting(true);
    const { session: desk, name: fileName, file } = prepared;
    const rows = await rowsToSend(desk, number);
    const { headings } = file;
    await startImport(client, { id: crypto.randomUUID(), holder, fileName, headings, rows });
    preparation.giveUp();
  };
  const waiting = ready === undefined ? 'The rows are not checked yet' : undefined;
  const nothing = ready === 0 ? 'No row of the file would change anything' : undefined;
  return (
    <Page
      title="Import users"
      breadcrumbs={<Trail />}
      meta={
        counts &&
        counts.cannot > 0 &&
        `${counted(counts.cannot, 'row', 'rows')} cannot be imported and would be left out`
      }
      actions={
        <Button
          variant="primary"
          pending={starting}
          disabledReason={waiting ?? nothing}
          onClick={() => void start(ready ?? 0)}
        >
          {ready === undefined || ready === 0 ? 'Import' : `Import ${counted(ready, 'person', 'people')}`}
        </Button>
      }
    >
      <ColumnsCard prepared={prepared} onChange={preparation.change} onGiveUp={preparation.giveUp} />
      <h2 className="import-step">3. What would happen</h2>
      <Preview prepared={prepared} check={check} />
    </Page>
  );
}
