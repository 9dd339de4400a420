import { counted } from '../../lib/numbers.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import type { Source } from '../read-table.ts';
import { SheetChoice } from './SheetChoice.tsx';
import type { FileSession, Prepared } from './use-preparation.ts';

const SEPARATORS: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
const ENCODINGS = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
};

function sourceWords(source: Source): string {
  if (source.kind === 'text')
    return `parted by ${SEPARATORS[source.separator] ?? source.separator} · ${ENCODINGS[source.encoding]}`;
  if (source.kind === 'json') return 'JSON';
  const { sheet, sheets } = source;
  const { name = '', isHidden = false } = sheets[sheet] ?? {};
  return `sheet “${name}”${isHidden ? ', hidden' : ''}`;
}

// The field that chose the file is gone: whoever works by keyboard goes on from what was found.
const takeFocus = (words: HTMLElement | null) => words?.focus({ preventScroll: true });

interface FileWordsProps {
  prepared: Prepared<FileSession, unknown>;
  /** So many of its columns are passed over. */
  ignored: number;
  onSheet: (sheet: number) => void;
}

/** What was found in a file; of a workbook another sheet can be chosen. */
export function FileWords({ prepared, ignored, onSheet }: FileWordsProps) {
  const { name, file, isTurned = false } = prepared;
  const { rows, source } = file;
  return (
    <>
      <p ref={isTurned ? undefined : takeFocus} tabIndex={-1}>
        <strong>{name}</strong> · {counted(rows, 'row', 'rows')} · {sourceWords(source)}
        {ignored > 0 && ` · ${counted(ignored, 'column', 'columns')} ignored`}
      </p>
      {source.kind === 'workbook' && source.sheets.length > 1 && (
        <SheetChoice {...{ source, isTurned, onSheet }} turning={prepared.turning} />
      )}
      {source.kind === 'text' && source.encoding === 'windows-1252' && (
        <Banner tone="warn" title="This file is no Unicode text and was read as Windows-1252">
          Look at names with accents before you import. If they are wrong, save the file as CSV UTF-8.
        </Banner>
      )}
    </>
  );
}
