import { counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Reading, Source } from '../../../files/read-table.ts';
import { ENCODING_WORDS, ReadAs, SEPARATORS } from './ReadAs.tsx';
import type { FileSession, Prepared } from './use-preparation.ts';

function sourceWords(source: Source): string {
  if (source.kind === 'text')
    return `parted by ${SEPARATORS[source.separator] ?? source.separator} · ${ENCODING_WORDS[source.encoding]}`;
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
  onReadAs: (part: Reading) => void;
}

/** What was found in a file; of a workbook another sheet can be chosen. */
export function FileWords({ prepared, ignored, onReadAs }: FileWordsProps) {
  const { name, file, as, saidLast } = prepared;
  const { rows, source } = file;
  return (
    <>
      <p ref={saidLast === undefined ? takeFocus : undefined} tabIndex={-1}>
        <strong>{name}</strong> · {counted(rows, 'row', 'rows')} · {sourceWords(source)}
        {ignored > 0 && ` · ${counted(ignored, 'column', 'columns')} ignored`}
      </p>
      <ReadAs {...{ prepared, onReadAs }} />
      {source.kind === 'text' && source.encoding === 'windows-1252' && as.encoding === undefined && (
        <Banner tone="warn" title="This file is no Unicode text and was read as Windows-1252">
          Look at names with accents before you import. If they are wrong, choose another encoding or save the
          file as CSV UTF-8.
        </Banner>
      )}
    </>
  );
}
