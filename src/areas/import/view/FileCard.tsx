import { FileUp } from 'lucide-react';
import { useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { cx } from '../../../ui/cx.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { LIMITS_TEXT } from '../../../files/limits.ts';

interface FileCardProps {
  onFile: (file: File) => void;
  /** What a row is: "One person". */
  row: string;
  /** What helps those who have no file. */
  actions?: ReactNode;
  fault: string | undefined;
  /** While a file is read: its name and how much of it is. */
  reading: { name: string; share: number } | undefined;
}

/** The first step: a file to choose, to drop or to paste. */
export function FileCard({ onFile, row, actions, fault, reading }: FileCardProps) {
  const [over, setOver] = useState(false);
  // Kept here over the reading: rows that turn out to be faulty are mended where they were pasted.
  const [pasted, setPasted] = useState<string>();
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  const drop = (event: DragEvent) => {
    drag(event);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  return (
    <Card title="1. File" actions={actions}>
      <CardBody>
        <div className="import-file">
          {fault !== undefined && <Banner tone="bad" title={fault} />}
          {/* Dropping is one way more: the button does the same. */}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
          <div
            className={cx('import-drop', over && 'import-drop-over')}
            onDragOver={drag}
            onDragLeave={drag}
            onDrop={drop}
          >
            <FileUp />
            {reading ? <Reading {...reading} /> : <Choose {...{ onFile, row }} again={fault !== undefined} />}
          </div>
          {!reading && <Paste text={pasted} onText={setPasted} onFile={onFile} />}
        </div>
      </CardBody>
    </Card>
  );
}

function Reading({ name, share }: { name: string; share: number }) {
  return (
    <>
      <p>Reading {name}</p>
      <progress aria-label={`Reading ${name}`} value={share} max={1} />
    </>
  );
}

interface ChooseProps extends Pick<FileCardProps, 'onFile' | 'row'> {
  /** The last file was none: the focus was here and comes back. */
  again: boolean;
}

function Choose({ onFile, row, again }: ChooseProps) {
  return (
    <>
      <p>
        Drop a CSV, XLSX or JSON file here, or{' '}
        <label className="import-choose">
          <input
            type="file"
            className="visually-hidden"
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus={again}
            accept=".csv,.tsv,.txt,.xlsx,.json,text/csv,text/tab-separated-values,text/plain,application/json"
            onChange={({ target }) => {
              const file = target.files?.[0];
              // The same file can be chosen again after it was changed.
              target.value = '';
              if (file) onFile(file);
            }}
          />
          <span>choose a file</span>
        </label>
      </p>
      <small>
        {row} in a row, with a heading. {LIMITS_TEXT} Nothing is changed before you have seen what would
        happen.
      </small>
    </>
  );
}

interface PasteProps extends Pick<FileCardProps, 'onFile'> {
  /** Undefined until it is asked for. */
  text: string | undefined;
  onText: (text: string) => void;
}

function Paste({ text, onText, onFile }: PasteProps) {
  if (text === undefined) {
    return (
      <Button variant="quiet" size="small" onClick={() => onText('')}>
        Paste rows instead
      </Button>
    );
  }
  const empty = text.trim() === '' ? 'Paste the rows with their heading first' : undefined;
  return (
    <div className="import-paste">
      <label className="field">
        <span className="field-label">Rows with their heading</span>
        <textarea
          className="input mono"
          rows={6}
          value={text}
          spellCheck={false}
          // It was opened to paste.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          onChange={({ target }) => onText(target.value)}
        />
      </label>
      <Button
        disabledReason={empty}
        onClick={() => onFile(new File([text], 'pasted.csv', { type: 'text/csv' }))}
      >
        Read the pasted rows
      </Button>
    </div>
  );
}
