import { counted } from '../../../lib/numbers.ts';
import { ENCODINGS } from '../../../files/decode.ts';
import type { Encoding } from '../../../files/decode.ts';
import type { Reading, Sheet, Source } from '../../../files/read-table.ts';
import type { FileSession, Prepared } from './use-preparation.ts';

/** What parts columns, in words. */
export const SEPARATORS: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
  ':': 'colons',
  '^': 'carets',
  '~': 'tildes',
};
export const ENCODING_WORDS: Readonly<Record<Encoding, string>> = {
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

interface ReadAsProps {
  prepared: Prepared<FileSession, unknown>;
  onReadAs: (part: Reading) => void;
}

/** How a file is read, where that can be otherwise: which sheet of a workbook; by what a text is parted and encoded. */
export function ReadAs({ prepared, onReadAs }: ReadAsProps) {
  const { file, again } = prepared;
  const { source } = file;
  if (source.kind === 'json' || (source.kind === 'workbook' && source.sheets.length < 2)) return undefined;
  return (
    <div className="import-reading">
      {source.kind === 'workbook' ? (
        <SheetChoice {...{ prepared, source, onReadAs }} />
      ) : (
        <TextChoices {...{ prepared, source, onReadAs }} />
      )}
      {again && <progress aria-label="Reading the file again" value={again.share} max={1} />}
    </div>
  );
}

const sheetWords = ({ name, rows, isHidden }: Sheet): string =>
  `${name} · ${rows === 0 ? 'no rows' : counted(rows, 'row', 'rows')}${isHidden ? ' · hidden' : ''}`;

interface SourceProps<Kind extends Source['kind']> extends ReadAsProps {
  source: Extract<Source, { kind: Kind }>;
}

function SheetChoice({ prepared, source, onReadAs }: SourceProps<'workbook'>) {
  const { again, saidLast } = prepared;
  return (
    <Choice
      label="Sheet"
      isLast={saidLast === 'sheet'}
      value={String(again?.as.sheet ?? source.sheet)}
      onChoose={(sheet) => onReadAs({ sheet: Number(sheet) })}
      options={source.sheets.map((one, at) => ({
        value: String(at),
        words: sheetWords(one),
        isEmpty: one.rows === 0,
      }))}
    />
  );
}

/** Folded away: what was found is nearly always right. */
function TextChoices({ prepared, source, onReadAs }: SourceProps<'text'>) {
  const { again, saidLast } = prepared;
  const separators = new Set([source.separator, ...Object.keys(SEPARATORS)]);
  return (
    <details open={saidLast !== undefined}>
      <summary>Read it otherwise</summary>
      <div className="import-reading">
        <Choice
          label="Parted by"
          isLast={saidLast === 'separator'}
          value={again?.as.separator ?? source.separator}
          onChoose={(separator) => onReadAs({ separator })}
          options={[...separators].map((value) => ({ value, words: SEPARATORS[value] ?? value }))}
        />
        <Choice
          label="Encoding"
          isLast={saidLast === 'encoding'}
          value={again?.as.encoding ?? source.encoding}
          onChoose={(encoding) => onReadAs({ encoding })}
          options={ENCODINGS.map((value) => ({ value, words: ENCODING_WORDS[value] }))}
        />
      </div>
    </details>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  /** It was chosen here last: whoever goes through the options by keyboard goes on from here. */
  isLast: boolean;
  value: Value;
  options: readonly { value: Value; words: string; isEmpty?: boolean }[];
  onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ label, isLast, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <label className="import-read">
      <span className="field-label">{label}</span>
      <select
        className="input"
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={isLast}
        value={value}
        onChange={({ target }) => {
          const chosen = options.find((one) => one.value === target.value);
          if (chosen) onChoose(chosen.value);
        }}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value} disabled={one.isEmpty}>
            {one.words}
          </option>
        ))}
      </select>
    </label>
  );
}
