import { useId } from 'react';
import { ENCODINGS } from '../../files/table/decode-text.ts';
import type { Encoding } from '../../files/table/decode-text.ts';
import type { ReadOptions, TableSource, SheetInfo } from '../../files/table/table.ts';
import { pluralize } from '../../lib/numbers.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import type { FieldOption } from '../../ui/form/select/OptionList.tsx';
import { LabelledSelect, Select } from '../../ui/form/select/Select.tsx';
import type { SelectProps } from '../../ui/form/select/Select.tsx';
import type { FileSession, Prepared } from './use-preparation.ts';

function formatSource(source: TableSource): string {
  if (source.kind === 'text')
    return `separated by ${SEPARATOR_LABELS[source.separator] ?? source.separator} · ${ENCODING_LABELS[source.encoding]}`;
  if (source.kind === 'json') return 'JSON';
  const { sheet, sheets } = source;
  const { name = '', isHidden = false } = sheets[sheet] ?? {};
  return `sheet “${name}”${isHidden ? ', hidden' : ''}`;
}

// The file field is gone, so keyboard users continue here.
const focusElement = (words: HTMLElement | null) => words?.focus({ preventScroll: true });

interface FileSummaryProps {
  prepared: Prepared<FileSession, unknown>;
  /** Number of ignored columns. */
  ignoredCount: number;
  onReadAs: (part: ReadOptions) => void;
}

/** Name, rows and format of the file, with the options to read it differently. */
export function FileSummary({ prepared, ignoredCount, onReadAs }: FileSummaryProps) {
  const { name, file, readOptions, lastChangedOption } = prepared;
  const { rows, source } = file;
  return (
    <>
      <p ref={lastChangedOption === undefined ? focusElement : undefined} tabIndex={-1}>
        <strong>{name}</strong> · {pluralize(rows, 'row', 'rows')} · {formatSource(source)}
        {ignoredCount > 0 && ` · ${pluralize(ignoredCount, 'column', 'columns')} ignored`}
      </p>
      <ReadOptionsFields {...{ prepared, onReadAs }} />
      {source.kind === 'text' && source.encoding === 'windows-1252' && readOptions.encoding === undefined && (
        <Banner tone="warn" title="This file is not Unicode and was read as Windows-1252">
          Check names with accents before you import. If they are wrong, choose another encoding or save the
          file as CSV UTF-8.
        </Banner>
      )}
    </>
  );
}

/** Names of column separators. */
const SEPARATOR_LABELS: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
  ':': 'colons',
  '^': 'carets',
  '~': 'tildes',
};
const ENCODING_LABELS: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big endian)',
  'windows-1252': 'Windows-1252',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  macintosh: 'Mac Roman',
  shift_jis: 'Shift JIS (Japanese)',
  gb18030: 'GB 18030 (Chinese)',
};

interface ReadOptionsProps {
  prepared: Prepared<FileSession, unknown>;
  onReadAs: (part: ReadOptions) => void;
}

/** Options to read the file differently: worksheet of a workbook; separator and encoding of a text file. */
function ReadOptionsFields({ prepared, onReadAs }: ReadOptionsProps) {
  const { file, rereading } = prepared;
  const { source } = file;
  if (source.kind === 'json' || (source.kind === 'workbook' && source.sheets.length < 2)) return undefined;
  return (
    <div className="import-reading">
      {source.kind === 'workbook' ? (
        <SheetChoice {...{ prepared, source, onReadAs }} />
      ) : (
        <TextChoices {...{ prepared, source, onReadAs }} />
      )}
      {rereading && <progress aria-label="Reading the file again" value={rereading.share} max={1} />}
    </div>
  );
}

const formatSheet = ({ name, rows, isHidden }: SheetInfo): string =>
  `${name} · ${rows === 0 ? 'no rows' : pluralize(rows, 'row', 'rows')}${isHidden ? ' · hidden' : ''}`;

interface SourceProps<Kind extends TableSource['kind']> extends ReadOptionsProps {
  source: Extract<TableSource, { kind: Kind }>;
}

function SheetChoice({ prepared, source, onReadAs }: SourceProps<'workbook'>) {
  const { rereading, lastChangedOption } = prepared;
  return (
    <ReadOption
      label="Sheet"
      isLast={lastChangedOption === 'sheet'}
      value={String(rereading?.readOptions.sheet ?? source.sheet)}
      onChange={(sheet) => onReadAs({ sheet: Number(sheet) })}
      options={source.sheets.map((one, at) => ({
        value: String(at),
        label: formatSheet(one),
        disabledReason: one.rows === 0 ? 'The sheet has no rows' : undefined,
      }))}
    />
  );
}

/** Collapsed: detection is nearly always right. */
function TextChoices({ prepared, source, onReadAs }: SourceProps<'text'>) {
  const { rereading, lastChangedOption } = prepared;
  const separators = new Set([source.separator, ...Object.keys(SEPARATOR_LABELS)]);
  return (
    <details open={lastChangedOption !== undefined}>
      <summary>File options</summary>
      <div className="import-reading">
        <ReadOption
          label="Separator"
          isLast={lastChangedOption === 'separator'}
          value={rereading?.readOptions.separator ?? source.separator}
          onChange={(separator) => onReadAs({ separator })}
          options={[...separators].map((value) => ({ value, label: SEPARATOR_LABELS[value] ?? value }))}
        />
        <ReadOption
          label="Encoding"
          isLast={lastChangedOption === 'encoding'}
          value={rereading?.readOptions.encoding ?? source.encoding}
          onChange={(encoding) => onReadAs({ encoding })}
          options={ENCODINGS.map((value) => ({ value, label: ENCODING_LABELS[value] }))}
        />
      </div>
    </details>
  );
}

interface ReadOptionProps<Value extends string> extends Omit<SelectProps<Value>, 'labelledBy'> {
  /** Whether it was changed last; keyboard users continue here. */
  isLast: boolean;
}

const ReadOption = <Value extends string>({ isLast, ...select }: ReadOptionProps<Value>) => (
  // oxlint-disable-next-line jsx-a11y/no-autofocus
  <LabelledSelect {...select} className="import-read" autoFocus={isLast} />
);

interface ColumnRowProps {
  heading: string;
  /** First values, or the reason why it is ignored. */
  note: string;
  value: string;
  onChoose: (value: string) => void;
  /** Options besides "Ignored". */
  options: readonly FieldOption[];
}

/** Field assigned to one column of the file. */
export function ColumnRow({ heading, note, value, onChoose, options }: ColumnRowProps) {
  const id = useId();
  return (
    <div className="import-column">
      <span id={id} className="import-column-name">
        <strong>{heading}</strong>
        <small>{note === '' ? 'Empty' : note}</small>
      </span>
      <Select
        label={`Field of ${heading}`}
        labelledBy={id}
        searchable={options.length > SEARCHABLE_FROM}
        value={value}
        onChange={(chosen) => onChoose(String(chosen))}
        options={[{ value: '', label: 'Ignored' }, ...options]}
      />
    </div>
  );
}

/** Number of fields from which the list of a column can be searched. */
const SEARCHABLE_FROM = 10;
