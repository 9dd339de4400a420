import { FileUp } from 'lucide-react';
import { useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { LIMITS_TEXT } from '../../files/limits.ts';
import { Button } from '../../ui/button/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../ui/layout/Card.tsx';

interface FileCardProps {
  onFile: (file: File) => void;
  /** Noun phrase for one row: "One person". */
  row: string;
  /** Actions for users without a file, such as a template. */
  actions?: ReactNode;
  error: string | undefined;
  /** Name and progress (0 to 1) while a file is read. */
  reading: { name: string; share: number } | undefined;
}

/** First step: choose, drop or paste a file. */
export function FileCard({ onFile, row, actions, error, reading }: FileCardProps) {
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  // State of the card, so that faulty rows can be corrected where they were pasted.
  const [pastedText, setPastedText] = useState<string>();
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setIsDraggedOver(event.type === 'dragover');
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
          {error !== undefined && <Banner tone="bad" title={error} />}
          {/* Dropping is an alternative to the button. */}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
          <div
            className={cx('import-drop', isDraggedOver && 'import-drop-over')}
            onDragOver={drag}
            onDragLeave={drag}
            onDrop={drop}
          >
            <FileUp />
            {reading ? (
              <Reading {...reading} />
            ) : (
              <Choose {...{ onFile, row }} takesFocus={error !== undefined} />
            )}
          </div>
          {!reading && <Paste text={pastedText} onText={setPastedText} onFile={onFile} />}
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
  /** Whether to focus the field again because the last file could not be read. */
  takesFocus: boolean;
}

function Choose({ onFile, row, takesFocus }: ChooseProps) {
  return (
    <>
      <p>
        Drop a CSV, XLSX or JSON file here, or{' '}
        <label className="import-choose">
          <input
            type="file"
            className="visually-hidden"
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus={takesFocus}
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
        {row} in a row, with a heading. {LIMITS_TEXT} Nothing changes before you have reviewed the result.
      </small>
    </>
  );
}

interface PasteProps extends Pick<FileCardProps, 'onFile'> {
  /** Undefined until pasting is chosen. */
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
  const disabledReason = text.trim() === '' ? 'Paste the rows with their heading first' : undefined;
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
        disabledReason={disabledReason}
        onClick={() => onFile(new File([text], 'pasted.csv', { type: 'text/csv' }))}
      >
        Read the pasted rows
      </Button>
    </div>
  );
}
