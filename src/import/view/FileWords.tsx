import { counted } from '../../lib/numbers.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import type { OpenedFile } from '../board.ts';
import type { Source } from '../read-table.ts';

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
  const { sheet, others } = source;
  return `sheet “${sheet}”${others > 0 ? `, not ${counted(others, 'other', 'others')}` : ''}`;
}

// The field that chose the file is gone: whoever works by keyboard goes on from what was found.
const takeFocus = (words: HTMLElement | null) => words?.focus({ preventScroll: true });

/** What was found in a file. */
export function FileWords({ name, file, ignored }: { name: string; file: OpenedFile; ignored: number }) {
  const { rows, source } = file;
  return (
    <>
      <p ref={takeFocus} tabIndex={-1}>
        <strong>{name}</strong> · {counted(rows, 'row', 'rows')} · {sourceWords(source)}
        {ignored > 0 && ` · ${counted(ignored, 'column', 'columns')} ignored`}
      </p>
      {source.kind === 'text' && source.encoding === 'windows-1252' && (
        <Banner tone="warn" title="This file is no Unicode text and was read as Windows-1252">
          Look at names with accents before you import. If they are wrong, save the file as CSV UTF-8.
        </Banner>
      )}
    </>
  );
}
