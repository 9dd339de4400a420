import { HEADINGS } from '../../../../import/fields.ts';
import type { Planned } from '../../../../import/plan.ts';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { Panel } from '../../../../ui/dialog/Panel.tsx';
import { Fact, Facts } from '../../../../ui/layout/Facts.tsx';
import { OUTCOME_WORDS } from './-row-columns.tsx';

/** One row in full: every change before and after, every fault. */
export default function RowDetails({ plan, onClose }: { plan: Planned; onClose: () => void }) {
  const { row, name, email, outcome, changes, faults } = plan;
  return (
    <Panel title={`Row ${row}`} onClose={onClose}>
      <div className="import-details">
        {faults.map(({ field, message }) => (
          <Banner
            key={`${field} ${message}`}
            tone="warn"
            title={field === undefined ? 'The row' : HEADINGS[field]}
          >
            {message}
          </Banner>
        ))}
        <Facts>
          <Fact label="Outcome">{OUTCOME_WORDS[outcome].label}</Fact>
          <Fact label="Name">{name || '—'}</Fact>
          <Fact label="E-mail">{email || '—'}</Fact>
          {changes.map(({ field, before, after }) => (
            <Fact key={field} label={HEADINGS[field]}>
              {before !== '' && (
                <>
                  <del>{before}</del> →{' '}
                </>
              )}
              {after}
            </Fact>
          ))}
        </Facts>
      </div>
    </Panel>
  );
}
