import type { ReportCheck, ReportFinding } from '../../../../contract/generated/types.gen.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { splitAtMarks } from '../model/marks.ts';
import '../reports.css';

const getMarkId = (finding: number) => `report-finding-${finding}`;

/** Result of a check: the faults, and the text of the document with a mark for each placeholder. */
export function CheckedDocument({ check }: { check: ReportCheck }) {
  const { findings, parts, fields, isTruncated } = check;
  return (
    <div className="rep-check">
      {findings.length === 0 ? (
        <Banner tone="ok" title="All placeholders fit the schema">
          {pluralize(fields.length, 'field is', 'fields are')} used.
        </Banner>
      ) : (
        <Banner tone="bad" title={`${pluralize(findings.length, 'error', 'errors')} in the document`}>
          No report can be generated until the file is corrected.
        </Banner>
      )}
      {findings.length > 0 && (
        <ol className="rep-findings" aria-label="Faults">
          {findings.map((finding, at) => (
            // Findings have no ids; a new check replaces all.
            // oxlint-disable-next-line react/no-array-index-key
            <Finding key={at} index={at} finding={finding} />
          ))}
        </ol>
      )}
      {parts.map((part) => (
        <section key={part.name} className="rep-part" aria-label={part.name}>
          <h3>{part.name}</h3>
          {part.texts.map((text) => (
            <p key={text.place} title={text.place}>
              {splitAtMarks(text).map(({ text: shown, mark }, at) =>
                mark === undefined ? (
                  shown
                ) : (
                  <mark
                    // oxlint-disable-next-line react/no-array-index-key
                    key={at}
                    id={mark.finding === null ? undefined : getMarkId(mark.finding)}
                    className={mark.finding === null ? 'rep-mark' : 'rep-mark rep-mark-bad'}
                    tabIndex={mark.finding === null ? undefined : -1}
                  >
                    {shown}
                    {mark.finding !== null && (
                      <span className="visually-hidden"> ({findings[mark.finding]?.message})</span>
                    )}
                  </mark>
                ),
              )}
            </p>
          ))}
        </section>
      ))}
      {isTruncated && <p className="field-hint">The document has more text without placeholders.</p>}
    </div>
  );
}

function Finding({ finding, index }: { finding: ReportFinding; index: number }) {
  const { message, placeholder, suggestion, part, place } = finding;
  const show = () => {
    const mark = document.getElementById(getMarkId(index));
    mark?.scrollIntoView({ block: 'center' });
    mark?.focus();
  };
  return (
    <li>
      <button type="button" className="rep-jump" onClick={show}>
        <code>{placeholder}</code> {part}, {place}
      </button>
      <span>{message}</span>
      {suggestion !== null && (
        <span className="rep-suggestion">
          Did you mean <code>{suggestion}</code>?
          <CopyButton value={suggestion} label={`Copy ${suggestion}`} />
        </span>
      )}
    </li>
  );
}
