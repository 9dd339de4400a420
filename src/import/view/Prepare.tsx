import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { toServiceError } from '../../api/errors.ts';
import { holderOf } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { counted } from '../../lib/numbers.ts';
import { Trail } from '../../shell/Trail.tsx';
import { useUnsavedGuard } from '../../shell/unsaved.ts';
import { Button } from '../../ui/button/Button.tsx';
import { toast } from '../../ui/feedback/toast.ts';
import { Page } from '../../ui/layout/Page.tsx';
import { startImport } from '../job.ts';
import type { About } from '../keep.ts';
import { rowsToSend } from '../planned-rows.ts';
import { FileCard } from './FileCard.tsx';
import { Preview } from './Preview.tsx';
import type { Check } from './Preview.tsx';
import type { FileSession, Preparation, Prepared } from './use-preparation.ts';

interface ChooseFileProps<Session extends FileSession, Setup> {
  preparation: Preparation<Session, Setup>;
  title: string;
  meta: string;
  /** What a row is: "One person". */
  row: string;
  actions?: ReactNode;
}

/** The page before a file is there. */
export function ChooseFile<Session extends FileSession, Setup>(props: ChooseFileProps<Session, Setup>) {
  const { preparation, title, meta, row, actions } = props;
  const { stage, open } = preparation;
  return (
    <Page title={title} breadcrumbs={<Trail />} meta={meta}>
      <FileCard
        onFile={(file) => void open(file)}
        {...{ row, actions }}
        fault={stage.at === 'empty' ? stage.fault : undefined}
        reading={stage.at === 'reading' ? stage : undefined}
      />
    </Page>
  );
}

interface ReadyProps {
  prepared: Prepared<FileSession, unknown>;
  onGiveUp: () => void;
  title: string;
  about: About;
  subject: string;
  check: Check;
  /** Why nothing can be checked yet. */
  blocked?: ReactNode;
  busy?: string | undefined;
  /** The second step. */
  children: ReactNode;
}

/** The page of a file that was read: its columns, and what would become of its rows. */
export function Ready(props: ReadyProps) {
  const { prepared, onGiveUp, title, about, check, blocked, children } = props;
  const client = useQueryClient();
  const holder = holderOf(useSession());
  useUnsavedGuard(true);
  const [starting, setStarting] = useState(false);
  const { data: counts, isPlaceholderData } = check;
  const ready =
    counts && !isPlaceholderData && blocked === undefined ? counts.create + counts.update : undefined;

  const start = async (number: number) => {
    setStarting(true);
    const { session, name: fileName, file } = prepared;
    const { headings, source } = file;
    const sheet = source.kind === 'workbook' ? source.sheets[source.sheet]?.name : undefined;
    try {
      const rows = await rowsToSend(session.desk, number);
      await startImport(client, { id: crypto.randomUUID(), holder, about, fileName, sheet, headings, rows });
      onGiveUp();
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The import could not begin', description, tone: 'bad' });
      setStarting(false);
    }
  };
  const again = prepared.again ? 'The file is being read again' : undefined;
  const waiting = ready === undefined ? 'The rows are not checked yet' : undefined;
  const nothing = ready === 0 ? 'No row of the file would change anything' : undefined;
  return (
    <Page
      title={title}
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
          disabledReason={again ?? waiting ?? nothing}
          onClick={() => void start(ready ?? 0)}
        >
          {ready === undefined || ready === 0 ? 'Import' : `Import ${counted(ready, ...about.words)}`}
        </Button>
      }
    >
      {children}
      <h2 className="import-step">3. What would happen</h2>
      <Preview {...props} />
    </Page>
  );
}
