import { FileUp } from 'lucide-react';
import { useId, useState } from 'react';
import type { DragEvent } from 'react';
import { decode } from '../../../import/decode.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { useStore } from '../../../ui/store.ts';
import { addText, beginAnew, draft, typeText } from './-draft.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const PLACEHOLDER = 'ada@company.example, Ben <ben@partner.example>';

/** The one box for addresses: typed, pasted, or from a file that is chosen or dropped. */
export function AddressBox() {
  const id = useId();
  const { text, entries } = useStore(draft);
  const [fault, setFault] = useState<string>();
  const [over, setOver] = useState(false);

  const open = async (file: File) => {
    const read = await textOf(file);
    setFault(read.fault);
    if (read.text !== undefined) addText(read.text);
  };
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(event.type === 'dragover');
  };
  const drop = (event: DragEvent) => {
    drag(event);
    const [file] = event.dataTransfer.files;
    if (file) void open(file);
  };

  return (
    <Card
      title="People"
      actions={
        text !== '' && (
          <Button size="small" variant="quiet" onClick={beginAnew}>
            Clear
          </Button>
        )
      }
    >
      <CardBody>
        <div className="field">
          <label className="field-label" htmlFor={id}>
            E-mail addresses
          </label>
          {/* Dropping is one way more: the button does the same. */}
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
          <div
            className={cx('inv-box', over && 'inv-box-over')}
            onDragOver={drag}
            onDragLeave={drag}
            onDrop={drop}
          >
            <textarea
              id={id}
              className="input"
              rows={7}
              value={text}
              placeholder={PLACEHOLDER}
              spellCheck={false}
              autoComplete="off"
              aria-describedby={`${id}-note`}
              aria-invalid={fault !== undefined}
              onChange={({ target }) => {
                setFault(undefined);
                typeText(target.value);
              }}
            />
          </div>
          <FieldNote
            id={`${id}-note`}
            error={fault}
            hint={
              entries.length === 0
                ? 'Type or paste any text: the addresses in it are found. Below a heading, the columns Type, Days and Groups of a table count as well.'
                : `${counted(entries.length, 'address', 'addresses')} found.`
            }
          />
          <FileChoice onFile={(file) => void open(file)} />
        </div>
      </CardBody>
    </Card>
  );
}

function FileChoice({ onFile }: { onFile: (file: File) => void }) {
  return (
    <label className="inv-file btn btn-default btn-small">
      <input
        type="file"
        className="visually-hidden"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file can be chosen again after it was changed.
          target.value = '';
          if (file) onFile(file);
        }}
      />
      <FileUp />
      Add a CSV file
    </label>
  );
}

async function textOf(file: File): Promise<{ text?: string; fault?: string }> {
  if (file.size > MOST_BYTES)
    return { fault: `${file.name} is larger than 5 MB. Split it into several files.` };
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (bytes[0] === 0x50 && bytes[1] === 0x4b)
      return { fault: `${file.name} is a workbook. Save it as CSV and choose that file.` };
    return { text: decode(bytes).text };
  } catch {
    return { fault: `${file.name} could not be read.` };
  }
}
